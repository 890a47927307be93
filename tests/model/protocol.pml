/* protocol.pml - the protocol of src/transport/am between clients and servers, for the model checker SPIN. The names are those of proto.h,
 * endpoint.c, client.c and server.c; README.md says what is checked, and what is assumed.
 *
 * A message counts MESSAGE in the window, full or not; in a small window its length, SHORTEST at least. "Ghost" marks what only assertions read. -DFAULT_X plants an error, which an assertion or a
 * deadlock ("invalid end state") must show. */

#ifndef CLIENTS
#define CLIENTS 3
#endif
#ifndef SERVERS
#define SERVERS 2
#endif
#ifndef CALLS
#define CALLS 1 /* operations of a client */
#endif
#ifndef STOPS
#define STOPS 0 /* 1: a client may stop for good between two operations (SIGSTOP) */
#endif
#ifndef GETS
#define GETS 1
#endif
#ifndef SHORTS
#define SHORTS 0
#endif
#ifndef RNDVS
#define RNDVS 1
#endif
#ifndef ACCS
#define ACCS 0
#endif
#ifndef MUTEXES
#define MUTEXES 0
#endif
#ifndef FRAGMENTS
#define FRAGMENTS 0
#endif
#ifndef RMWS
#define RMWS 0
#endif
#ifndef SMALL
#define SMALL 0 /* the window, where it is less than two messages; 0: it is not */
#endif
#define MOST_REQUESTS 2 /* of a message */
#define REQUESTS (1 + FRAGMENTS * MOST_REQUESTS) /* of an operation */
#define BUFFERS 2      /* of a client, for messages that are open or not yet received */
#define MAX_UNACKED 2  /* messages of a client to a server */
#define AT_ONCE 1      /* short gets that are sent at once */
#define MESSAGE MOST_REQUESTS /* what a message counts: 1 for each request */
#define RNDV_DATA 2    /* what rendezvous data count that MPI may deliver before their receive is posted */
#define SHORTEST 2     /* what a message counts in a small window, at least */
#define POOL 1         /* replies of a server that are under way at a time */
#ifndef GRANTS
#define GRANTS 1       /* the longest messages for which a server has memory beside the windows */
#endif
#define LEASE_WINDOW 2 /* the longest messages that fit into the window of a lease */
#define LEASE_MESSAGES 2 /* that may be sent with a lease; not more, since assertions count messages */
#if SMALL
#define WINDOW SMALL
#define LENGTH(what) ((what) == LONG_PUT || (what) == LONG_GET -> WINDOW + 1 : 1)
#define LONGEST (MOST_REQUESTS * (WINDOW + 1)) /* message */
#define COUNT(length) ((length) > SHORTEST -> (length) : SHORTEST)
#define MOST (LEASE_WINDOW * LONGEST / SHORTEST + 2)
#define MOST_DEFERRED (2 * REQUESTS * CALLS) /* of a client; requests for credit, too */
#else
#define WINDOW (2 * MESSAGE + RNDV_DATA)
#define LENGTH(what) 1
#define COUNT(length) MESSAGE
#define MOST (WINDOW / MESSAGE + 1) /* messages of a client to a server: a send beyond it fails an assertion */
#define MOST_DEFERRED (REQUESTS * CALLS)
#endif

/* Requests. PUT: eager, an accumulate as well. RNDV, RTS: rendezvous puts; the data of RTS wait until the server has posted the
 * receive. ACC, ACC_RTS: as RNDV and RTS, but the server receives the data in memory that is for replies. GET: with a packed reply; SHORT: a get with a reply in a bundle. All of
 * them read or write the same bytes. LONG_PUT, LONG_GET: a PUT, a GET with a request that is longer than a small window. AM_CREDIT: for such a message.
 * RMW: as LOCK, but its message requests no acknowledgement for the window: the reply shows that all of the message is served.
 * FRAGMENTED: a put of more requests than a message holds, FRAGMENT and at last PUT, whose acknowledgement is that of all.
 * UNLOCK: as PUT, but the acknowledgement of its message may be deferred (a put with flag as well). LOCK: with a reply that needs no memory, and shows that all before it is served; other threads go on meanwhile. */
#define NONE 0
mtype = { PUT, RNDV, RTS, ACC, ACC_RTS, GET, SHORT, LONG_PUT, LONG_GET, AM_CREDIT, LOCK, UNLOCK, FRAGMENTED, FRAGMENT, RMW };
#define IS_PUT(what) ((what) == PUT || (what) == LONG_PUT || (what) == UNLOCK || (what) == FRAGMENT)
#define IS_GET(what) ((what) == GET || (what) == SHORT || (what) == LONG_GET)
#define IS_ACC(what) ((what) == ACC || (what) == ACC_RTS)
#define IS_RNDV(what) ((what) == RNDV || (what) == RTS || IS_ACC(what))

/* ---- the network ---- */

#define PAIR(c, s) ((c) * SERVERS + (s))
#define PAIRS (CLIENTS * SERVERS)
/* sequence, acknowledge, the requests; ghost: number of the first request; 1: sent beyond the window */
chan request[PAIRS] = [MOST] of { byte, bit, mtype, mtype, byte, byte };
/* of so many messages, of a rendezvous put (or 0), messages granted, served, replies to so many short gets; ghost: the last request served */
chan bundle[PAIRS] = [MOST + 1] of { byte, byte, byte, byte, byte, byte };
byte with_replies[PAIRS]; /* bundles under way that have replies */
chan data[PAIRS] = [1] of { byte };
chan cts[PAIRS] = [1] of { byte };
chan reply[PAIRS] = [CALLS] of { byte };
mtype = { STOP, FINALIZE };
/* to LOCK; ghost: the last request served before it */
chan result[PAIRS] = [1] of { byte };
chan control[SERVERS] = [CLIENTS + 1] of { mtype };

byte arrived;                              /* clients at a barrier */
byte finalized;                            /* servers at theirs */
byte in_finalize;                          /* ghost: clients that end MPI */
byte transmitted_at_end[PAIRS];            /* ghost */
#if SMALL
byte leased[PAIRS];   /* messages that the client may send with its credit */
byte beyond[SERVERS]; /* ghost: messages sent beyond a window and not served, those of clients excepted for which the server waits no more */
byte beyond_of[PAIRS]; /* ghost: the same, of one client */
bit may_exceed[PAIRS]; /* ghost: the client has requested credit and not used all of it */
bit is_excepted[PAIRS]; /* ghost */
#endif

/* ---- a client ---- */

typedef endpoint {
    byte n, length; /* of the open message: requests, their lengths */
    mtype kind[MOST_REQUESTS];
    bit acknowledge, waits_for_window;
    bit credit_requested, has_lease; /* has_lease: what is left of its credit is a lease */
    byte sequence, unacked, transmitted, served;
    byte rndv;   /* the put whose data are not in place; 0: none */
    byte gets;   /* whose replies have not arrived */
    byte shorts; /* the same */
    byte issued; /* the last request, numbered from 1 on */
    byte put;    /* the last PUT */
    byte deferred_at; /* transmitted, with the last message whose acknowledgement was deferred; 0: none was */
    bit locks;   /* a LOCK or RMW whose reply has not arrived */
    byte mark;   /* transmitted bytes that the reply shows as served: before the message of the LOCK, with that of the RMW */
    bit is_replied; /* the reply to the RMW opens the window */
    byte known;  /* ghost: the last request known to be served */
};

#define FITS_WINDOW(s, n) (e[s].transmitted + (n) <= e[s].served + WINDOW)
#if SMALL
#define HAS_CREDIT(s) (leased[PAIR(me, s)] > 0)
#define FITS_CREDIT(s, n) (HAS_CREDIT(s) && e[s].transmitted + (n) <= e[s].served + (e[s].has_lease -> LEASE_WINDOW : 1) * LONGEST)
#else
#define HAS_CREDIT(s) false
#define FITS_CREDIT(s, n) false
#endif
#define IS_ALONE(s) (e[s].transmitted == e[s].served)
#define ENOUGH (SMALL -> WINDOW : MESSAGE) /* any message fits into it, or the whole window if it is shorter */
#define HAS_PUT(s) (e[s].put > e[s].issued - e[s].n) /* in the open message */

/* The message is alone, or within the window, or it has credit; a longer one has credit in any case. What all clients send with credit
 * is within the server's memory for it. */
inline assert_bounds(s)
{
#if SMALL
    if
    :: e[s].length <= WINDOW && (IS_ALONE(s) || FITS_WINDOW(s, size)) -> more = 0
    :: else ->
        more = 1;
        beyond_of[PAIR(me, s)]++;
        if
        :: !is_excepted[PAIR(me, s)] -> beyond[s]++; assert(beyond[s] <= GRANTS)
        :: else
        fi
    fi
#else
    assert(e[s].transmitted + size <= e[s].served + WINDOW + MESSAGE)
#endif
}

/* A message is sent with credit: one less is left. */
inline use_credit(s)
{
#if SMALL
    if
    :: HAS_CREDIT(s) ->
#ifndef FAULT_LEASE_NOT_COUNTED
        leased[PAIR(me, s)]--;
#endif
        may_exceed[PAIR(me, s)] = HAS_CREDIT(s)
    :: else
    fi
#else
    skip
#endif
}

/* A lease is void some time after it was requested, by the client's clock. */
inline void_lease(s)
{
#if SMALL
    if
    :: HAS_CREDIT(s) -> leased[PAIR(me, s)] = 0; may_exceed[PAIR(me, s)] = 0
    :: true
    fi
#else
    skip
#endif
}

inline send_now(s)
{
    assert_bounds(s);
    e[s].transmitted = e[s].transmitted + size;
    use_credit(s);
    if
    :: urgent && e[s].acknowledge -> e[s].acknowledge = 0; e[s].deferred_at = e[s].transmitted
    :: else
    fi;
    if
#ifndef FAULT_NO_ACK_REQUESTED
    :: !FITS_WINDOW(s, ENOUGH) && !replied -> e[s].acknowledge = 1
#endif
    :: else
    fi;
    e[s].deferred_at = (e[s].acknowledge -> 0 : e[s].deferred_at);
    e[s].unacked = e[s].unacked + e[s].acknowledge;
    assert(nfull(request[PAIR(me, s)]));
    request[PAIR(me, s)] ! e[s].sequence, e[s].acknowledge, e[s].kind[0], e[s].kind[1], e[s].issued - e[s].n + 1, more;
    more = 0;
    e[s].sequence++;
    e[s].n = 0;
    e[s].length = 0;
    e[s].kind[0] = NONE;
    e[s].kind[1] = NONE;
    e[s].acknowledge = 0
}

#ifdef FAULT_CREDIT_REQUESTED_AT_ONCE
#define IS_ON_ITS_WAY(s) (e[s].credit_requested)
#else
#define IS_ON_ITS_WAY(s) (e[s].unacked > 0 || e[s].credit_requested || e[s].is_replied) /* what opens the window, or brings credit */
#endif
#if SMALL && !defined(FAULT_CREDIT_NOT_REQUESTED)
#define NEEDS_CREDIT(s) (e[s].length > WINDOW && !HAS_CREDIT(s))
#else
#define NEEDS_CREDIT(s) false
#endif

/* Alone: nothing else is under way. */
inline request_credit(s)
{
#if SMALL
    e[s].transmitted = e[s].transmitted + SHORTEST;
    e[s].credit_requested = 1;
    may_exceed[PAIR(me, s)] = 1;
    assert(nfull(request[PAIR(me, s)]));
    request[PAIR(me, s)] ! e[s].sequence, 0, AM_CREDIT, NONE, 0, 0;
    e[s].sequence++
#else
    skip
#endif
}

/* Set waits_for_window if the message must wait. If no acknowledgement is on its way, request credit. */
inline must_wait(s)
{
    if
    :: FITS_WINDOW(s, size) || FITS_CREDIT(s, size) -> e[s].waits_for_window = 0
    :: else ->
        if
        :: IS_ON_ITS_WAY(s) -> e[s].waits_for_window = 1
        :: !IS_ON_ITS_WAY(s) && NEEDS_CREDIT(s) -> request_credit(s); e[s].waits_for_window = 1
        :: !IS_ON_ITS_WAY(s) && !NEEDS_CREDIT(s) -> e[s].waits_for_window = 0 /* it is alone */
        fi
    fi
}

#define IS_OPEN(s) (e[s].n > 0 || e[s].acknowledge) /* without a request: for the acknowledgement of earlier messages */

inline endpoint_send(s)
{
    if
    :: IS_OPEN(s) ->
        size = COUNT(e[s].length) + unasked;
        urgent = urgent && !e[s].waits_for_window;
        must_wait(s);
        if
        :: e[s].waits_for_window -> assert(unasked == 0)
        :: else -> send_now(s)
        fi;
        size = 0
    :: else
    fi
}

/* Send what is there, so that all updates until now are acknowledged. */
inline send_awaited(s)
{
    if
#ifndef FAULT_DEFERRED_ACK_IGNORED
    :: e[s].deferred_at > 0 -> e[s].acknowledge = 1
#endif
    :: else
    fi;
    endpoint_send(s)
}

/* A bundle, or the reply to a LOCK, may be older than what is known. */
inline note_served(s)
{
    if
    :: of_served > e[s].served -> e[s].served = of_served
    :: else
    fi;
    if
    :: of_known > e[s].known -> e[s].known = of_known
    :: else
    fi;
    of_served = 0;
    of_known = 0
}

/* All that was sent before the request is served. */
inline handle_result(s)
{
    assert(e[s].locks);
    e[s].locks = 0;
    e[s].is_replied = 0;
#ifdef FAULT_REPLY_SHOWS_ALL
    e[s].mark = e[s].transmitted;
#endif
    of_served = e[s].mark;
    note_served(s);
    e[s].deferred_at = (e[s].deferred_at <= e[s].mark -> 0 : e[s].deferred_at);
    if
#ifndef FAULT_REPLY_SENDS_NOTHING
    :: e[s].waits_for_window -> endpoint_send(s)
#endif
    :: else
    fi
}

inline handle_bundle(s)
{
    note_served(s);
    e[s].unacked = e[s].unacked - of_messages;
    if
    :: of_shorts > 0 ->
        assert(of_shorts <= e[s].shorts);
        e[s].shorts = e[s].shorts - of_shorts;
        with_replies[PAIR(me, s)]--
    :: else
    fi;
    if
    :: of_rndv > 0 -> assert(of_rndv == e[s].rndv); e[s].rndv = 0
    :: else
    fi;
#if SMALL
    if
    :: of_grant > 0 ->
        assert(e[s].credit_requested);
        e[s].credit_requested = 0;
        e[s].has_lease = (of_grant > 1);
        leased[PAIR(me, s)] = of_grant;
        of_grant = 0
    :: else
    fi;
#endif
    of_messages = 0;
    of_shorts = 0;
    of_rndv = 0;
    if
#ifndef FAULT_GETS_KEPT
    :: e[s].unacked == 0 || e[s].waits_for_window -> endpoint_send(s)
#endif
    :: else
    fi
}

/* The server has posted the receive. */
inline send_data(s)
{
    data[PAIR(me, s)] ! of_rndv;
    of_rndv = 0
}

inline handle_reply(s)
{
    assert(e[s].gets > 0);
    e[s].gets--
}

/* Wait, and make progress meanwhile. */
inline await(condition)
{
    do
    :: (condition) -> break
    :: d_step { bundle[PAIR(me, 0)] ? of_messages, of_rndv, of_grant, of_served, of_shorts, of_known -> handle_bundle(0) }
    :: d_step { result[PAIR(me, 0)] ? of_known -> handle_result(0) }
    :: d_step { cts[PAIR(me, 0)] ? of_rndv -> send_data(0) }
    :: d_step { reply[PAIR(me, 0)] ? _ -> handle_reply(0) }
#if SERVERS > 1
    :: d_step { bundle[PAIR(me, 1)] ? of_messages, of_rndv, of_grant, of_served, of_shorts, of_known -> handle_bundle(1) }
    :: d_step { result[PAIR(me, 1)] ? of_known -> handle_result(1) }
    :: d_step { cts[PAIR(me, 1)] ? of_rndv -> send_data(1) }
    :: d_step { reply[PAIR(me, 1)] ? _ -> handle_reply(1) }
#endif
    od;
    skip /* a d_step may follow */
}

#define IS_COMPLETE(s) (!IS_OPEN(s) && !e[s].locks && e[s].unacked == 0 && e[s].rndv == 0 && e[s].gets == 0 && e[s].shorts == 0)
#if SERVERS > 1
#define ALL_COMPLETE (IS_COMPLETE(0) && IS_COMPLETE(1))
#define USED_BUFFERS (IS_OPEN(0) + IS_OPEN(1) + len(request[PAIR(me, 0)]) + len(request[PAIR(me, 1)]))
#define EACH_SERVER(action) action(0); action(1)
#else
#define ALL_COMPLETE IS_COMPLETE(0)
#define USED_BUFFERS (IS_OPEN(0) + len(request[PAIR(me, 0)]))
#define EACH_SERVER(action) action(0)
#endif

/* Space in the open message. */
inline reserve(s)
{
    if
    :: e[s].n == MOST_REQUESTS -> d_step { endpoint_send(s) }
    :: else
    fi;
    await(e[s].n < MOST_REQUESTS);
    if
    :: !IS_OPEN(s) -> d_step { EACH_SERVER(endpoint_send) }; await(USED_BUFFERS < BUFFERS)
    :: else
    fi
}

inline append(s, what)
{
    e[s].kind[e[s].n] = what;
    e[s].n++;
    e[s].length = e[s].length + LENGTH(what);
    e[s].issued++;
    if
    :: IS_PUT(what) -> e[s].put = e[s].issued; e[s].acknowledge = e[s].acknowledge || what != FRAGMENT
    :: what == LOCK || what == RMW -> e[s].locks = 1; e[s].mark = e[s].transmitted
    :: what == GET || what == LONG_GET -> e[s].gets++
    :: what == SHORT -> e[s].shorts++
    :: IS_RNDV(what) -> e[s].rndv = e[s].issued
    fi
}

inline start(s, what)
{
    void_lease(s);
#ifndef FAULT_RNDV_OVERTAKEN
    await(e[s].rndv == 0);
#endif
    if
    :: (SMALL && IS_RNDV(what)) || ((what == RNDV || what == ACC) && !FITS_WINDOW(s, RNDV_DATA + 2 * MESSAGE)) ->
        what = (IS_ACC(what) -> ACC_RTS : RTS)
    :: else
    fi;
    await((what != LOCK && what != RMW) || !e[s].locks);
    if
    :: what == FRAGMENTED ->
        what = FRAGMENT;
        reserve(s);
        d_step { append(s, what) };
        reserve(s);
        d_step { append(s, what) };
#ifndef FAULT_LAST_NOT_ACKNOWLEDGED
        what = PUT
#endif
    :: else
    fi;
    reserve(s);
    d_step {
        append(s, what);
        if
        :: what == UNLOCK ->
            urgent = 1;
            endpoint_send(s);
            urgent = 0
        :: IS_PUT(what) && what != UNLOCK && (e[s].unacked == 0 || e[s].n == MOST_REQUESTS) -> endpoint_send(s)
        :: what == SHORT && e[s].shorts <= AT_ONCE -> endpoint_send(s)
        :: what == RMW ->
            replied = 1;
            endpoint_send(s);
            replied = 0;
            if
            :: !IS_OPEN(s) -> e[s].is_replied = 1; e[s].mark = e[s].transmitted
            :: else
            fi
        :: !IS_PUT(what) && what != SHORT && what != RMW ->
            unasked = (what == RNDV || what == ACC -> RNDV_DATA : 0);
            endpoint_send(s);
            unasked = 0
        :: else
        fi;
        if
        :: what == RNDV || what == ACC -> data[PAIR(me, s)] ! e[s].issued
        :: else
        fi
    }
}

/* The message without a request needs a buffer. */
inline fence(s)
{
    if
    :: e[s].deferred_at > 0 && !IS_OPEN(s) -> await(USED_BUFFERS < BUFFERS)
    :: else
    fi;
    d_step { send_awaited(s) };
    await(IS_COMPLETE(s))
}

/* Before the program goes on. */
inline leave(s, what)
{
    await(e[s].unacked <= MAX_UNACKED)
}

inline choose(s, what)
{
    if
    :: s = 0
#if SERVERS > 1
    :: s = 1
#endif
    fi;
    if
    :: what = PUT
#if GETS
    :: what = GET
#endif
#if SHORTS
    :: what = SHORT
#endif
#if RNDVS
    :: what = RNDV
#endif
#if ACCS
    :: what = ACC
#endif
#if FRAGMENTS
    :: what = FRAGMENTED
#endif
#if RMWS
    :: what = RMW
#endif
#if MUTEXES
    :: what = LOCK
    :: what = UNLOCK
#endif
#if SMALL
    :: what = LONG_PUT
#if GETS
    :: what = LONG_GET
#endif
#endif
    fi
}

#define ASSERT_SERVED(s) assert(e[s].known >= e[s].put)
#define ASSERT_LEFT(s) assert(!HAS_PUT(s))
#define REPORT(s) transmitted_at_end[PAIR(me, s)] = e[s].transmitted

/* Between two waits no other process matters: atomic. */
proctype client(byte me)
{
    endpoint e[SERVERS];
    bit replied, urgent;
    byte calls, s, size, unasked, more, of_rndv, of_messages, of_grant, of_shorts, of_served, of_known;
    mtype what;

    do
    :: atomic {
        calls < CALLS ->
        calls++;
        choose(s, what);
        start(s, what);
        leave(s, what);
        if
        :: true
        :: true -> fence(s); ASSERT_SERVED(s) /* the wait of a blocking get, too */
        fi;
        what = NONE;
        s = 0 }
    :: calls == CALLS -> break
    od;
    atomic {
        /* The program computes: what it has started completes nevertheless. */
#if STOPS
        if
        :: true -> goto end_computes /* others must not wait for it */
        :: true
        fi;
#endif
#ifdef FAULT_FINALIZE_WITHOUT_FENCE
        if
        :: me == 0
        :: me > 0 -> await(ALL_COMPLETE)
        fi;
#else
        await(ALL_COMPLETE);
        EACH_SERVER(fence); /* for deferred acknowledgements */
        EACH_SERVER(ASSERT_SERVED);
#endif
        EACH_SERVER(REPORT);
        calls = 0;
        arrived++
    }
end_barrier: /* where a client that computes never comes */
    atomic { arrived >= CLIENTS -> arrived++ };
    atomic {
        arrived == 2 * CLIENTS ->
        s = me;
        do
        :: s < SERVERS -> control[s] ! STOP; s = s + CLIENTS
        :: else -> break
        od;
        s = 0
    }
    atomic { in_finalize++; control[me % SERVERS] ! FINALIZE };
end_computes:
    skip
}

/* ---- a server ---- */

typedef client_state {
    byte next_sequence;   /* of the message to serve next */
    byte served;          /* of what the client has transmitted */
    byte replies;         /* pending */
    byte expired;         /* of these, not in in_use any more */
    byte deferred;        /* requests */
    bit is_queued, waits_for_own; /* with deferred requests */
    byte held;            /* messages to acknowledge when no request is deferred */
    byte granted;         /* the longest messages that fit into the window of its credit; 0: none */
    byte left;            /* messages that it may send with it, or has sent and are not here */
    byte news;            /* what it does not know yet of it: messages */
    bit grant_expired;    /* not in the server's granted any more */
    byte receiving;       /* the rendezvous put or accumulate whose data have not arrived; 0: none */
    bit accumulates;      /* it takes memory */
    byte last;            /* ghost: the last request served */
    byte beyond;          /* ghost: those of these messages that are here, with deferred requests */
};

/* Nobody waits there before the client. */
#define IS_FIRST(q, k) (len(q) == 0 || first_in_line == (k))
#define NOBODY 255
#define CAN_REPLY(k) (c[k].replies == 0 && in_use < POOL && IS_FIRST(for_reply_credit, k))
#define CAN_GRANT(k) (granted < GRANTS && IS_FIRST(for_request_credit, k))
#define CAN_LEASE (granted + LEASE_WINDOW <= GRANTS)

inline send_bundle(k, messages, put)
{
    assert(nfull(bundle[PAIR(k, me)]));
#ifdef FAULT_GRANT_LOST
    bundle[PAIR(k, me)] ! messages, put, 0, c[k].served, replies, c[k].last;
#else
    bundle[PAIR(k, me)] ! messages, put, c[k].news, c[k].served, replies, c[k].last;
#endif
    c[k].news = 0;
    if
    :: replies > 0 -> c[k].replies++; in_use++; with_replies[PAIR(k, me)]++; replies = 0
    :: else
    fi
}

#define HAS_NEWS(k) (replies > 0 || c[k].news > 0)

/* Ghost: what the client has sent beyond its window, and is here, is served. */
inline note_served_beyond(k)
{
#if SMALL
    beyond_of[PAIR(k, me)] = beyond_of[PAIR(k, me)] - c[k].beyond;
    if
    :: !is_excepted[PAIR(k, me)] -> beyond[me] = beyond[me] - c[k].beyond
    :: else
    fi;
    c[k].beyond = 0
#else
    skip
#endif
}

/* What the client has sent with its credit is served. */
inline end_grant(k)
{
#if SMALL
    if
    :: c[k].granted > 0 ->
#ifndef FAULT_CREDIT_FORGOTTEN
        freed = 1;
#endif
        if
#ifndef FAULT_CREDIT_KEPT
        :: !c[k].grant_expired -> granted = granted - c[k].granted
#endif
        :: else -> c[k].grant_expired = 0
        fi;
        c[k].granted = 0;
        c[k].left = 0
    :: else
    fi
#else
    skip
#endif
}

inline end_used_grant(k)
{
    if
    :: c[k].left == 0 -> end_grant(k)
    :: else
    fi
}

/* The client requests credit because what it had is used up or void; all that it sent with it is served. */
inline end_void_grant(k)
{
#if SMALL
    if
#ifndef FAULT_VOID_LEASE_KEPT
    :: kind0 == AM_CREDIT -> assert(c[k].deferred == 0 && beyond_of[PAIR(k, me)] == 0); end_grant(k); is_excepted[PAIR(k, me)] = 0
#endif
    :: else
    fi
#else
    skip
#endif
}

inline send_replies_and_acks(k)
{
#ifdef FAULT_GRANT_ENDS_AT_ARRIVAL
    end_used_grant(k);
#endif
    if
    :: c[k].deferred == 0 -> note_served_beyond(k); end_used_grant(k)
    :: else
    fi;
    if
#ifndef FAULT_ACK_NOT_HELD
    :: c[k].deferred > 0 && HAS_NEWS(k) -> send_bundle(k, 0, 0)
    :: c[k].deferred > 0 && !HAS_NEWS(k)
    :: c[k].deferred == 0 && (HAS_NEWS(k) || c[k].held > 0) -> send_bundle(k, c[k].held, 0); c[k].held = 0
#else
    :: HAS_NEWS(k) || c[k].held > 0 -> send_bundle(k, c[k].held, 0); c[k].held = 0
#endif
    :: else
    fi
}

inline reply_packed(k, number)
{
    assert(c[k].receiving == 0); /* a get sees what its client has put before */
    if
    :: replies > 0 -> send_bundle(k, 0, 0)
    :: else
    fi;
    c[k].replies++;
    in_use++;
    reply[PAIR(k, me)] ! number
}

inline serve(k, what, number)
{
    assert(what == AM_CREDIT || number == c[k].last + 1); /* nothing is lost, applied twice or overtaken */
    c[k].last = (what == AM_CREDIT -> c[k].last : number);
    if
    :: what == AM_CREDIT ->
        c[k].granted = (CAN_LEASE -> LEASE_WINDOW : 1);
        c[k].left = (CAN_LEASE -> LEASE_MESSAGES : 1);
        c[k].news = c[k].left;
        granted = granted + c[k].granted
    :: IS_PUT(what) -> assert(c[k].receiving == 0)
    :: what == LOCK || what == RMW -> assert(c[k].receiving == 0); result[PAIR(k, me)] ! number
    :: IS_RNDV(what) ->
        assert(c[k].receiving == 0);
        c[k].receiving = number;
        if
        :: IS_ACC(what) -> c[k].accumulates = 1; c[k].replies++; in_use++
        :: else
        fi;
        if
#ifndef FAULT_DATA_NOT_COUNTED
        :: what == RNDV || what == ACC -> c[k].served = c[k].served + RNDV_DATA
#endif
#ifndef FAULT_CTS_LOST
        :: what == RTS || what == ACC_RTS -> cts[PAIR(k, me)] ! number
#endif
        :: else
        fi
    :: what == GET || what == LONG_GET -> reply_packed(k, number)
    :: what == SHORT -> assert(c[k].receiving == 0); replies++
    fi
}

#define TAKES_MEMORY(what) (IS_GET(what) || IS_ACC(what))
#define CAN_SERVE(k, what) \
    ((what) != AM_CREDIT && !TAKES_MEMORY(what) || (what) == AM_CREDIT && CAN_GRANT(k) || TAKES_MEMORY(what) && CAN_REPLY(k))
#ifdef FAULT_DEFERRED_OVERTAKEN
#define MUST_WAIT(k, what) (IS_GET(what) && c[k].deferred > 0)
#else
#define MUST_WAIT(k, what) (c[k].deferred > 0)
#endif

inline serve_or_defer(k, what, number)
{
    if
    :: !MUST_WAIT(k, what) && CAN_SERVE(k, what) -> serve(k, what, number)
    :: else -> deferred[k] ! number, what; c[k].deferred++; deferred_here = deferred_here + LENGTH(what)
    fi
}

/* A client with replies of its own does not keep others waiting until it takes them. */
inline wait_for_credit(k)
{
    deferred[k] ? <number, kind0>;
    if
    :: kind0 == AM_CREDIT -> for_request_credit ! k; c[k].is_queued = 1
    :: kind0 != AM_CREDIT && c[k].replies > 0 -> c[k].waits_for_own = 1
    :: kind0 != AM_CREDIT && c[k].replies == 0 -> for_reply_credit ! k; c[k].is_queued = 1
    fi
}

/* Its requests at hand are served, or deferred. */
inline finish(k)
{
    send_replies_and_acks(k);
    if
    :: c[k].deferred > 0 && !c[k].is_queued && !c[k].waits_for_own -> wait_for_credit(k)
    :: else
    fi
}

/* The client's oldest deferred request, which has been looked at. */
inline serve_oldest(k)
{
    deferred[k] ? number, kind0;
    serve(k, kind0, number);
    c[k].deferred--;
    c[k].served = c[k].served + LENGTH(kind0)
}

inline serve_all_possible(k)
{
    do
    :: len(deferred[k]) > 0 ->
        deferred[k] ? <number, kind0>;
        if
        :: CAN_SERVE(k, kind0) -> serve_oldest(k); first_in_line = NOBODY
        :: else -> break
        fi
    :: else -> break
    od;
#ifndef FAULT_REPLY_KEPT
    finish(k)
#endif
}

/* Its first client, if that can be served, comes next. */
inline take_first(q)
{
    if
    :: next == NOBODY && len(q) > 0 ->
        q ? <first_in_line>;
        deferred[first_in_line] ? <number, kind0>;
        if
        :: CAN_SERVE(first_in_line, kind0) -> q ? next; c[next].is_queued = 0
        :: else -> first_in_line = NOBODY
        fi
    :: else
    fi
}

/* O(requests served), not O(clients waiting). */
inline serve_deferred()
{
    do
    :: freed ->
        next = ready;
        ready = NOBODY;
        take_first(for_reply_credit);
        take_first(for_request_credit);
        if
        :: next != NOBODY -> serve_all_possible(next); next = NOBODY
        :: else -> freed = 0
        fi
    :: else -> break
    od;
    first_in_line = NOBODY;
    number = 0;
    kind0 = NONE
}

inline serve_message(k)
{
    c[k].next_sequence++;
    if
    :: c[k].left > 0 -> c[k].left--
    :: else
    fi;
    c[k].beyond = c[k].beyond + more;
    more = 0;
    end_void_grant(k);
    if
    :: kind0 != NONE -> serve_or_defer(k, kind0, first)
    :: else
    fi;
    if
    :: kind1 != NONE -> serve_or_defer(k, kind1, first + 1)
    :: else
    fi;
    c[k].served = c[k].served + COUNT((kind0 == NONE -> 0 : LENGTH(kind0)) + (kind1 == NONE -> 0 : LENGTH(kind1))) - deferred_here;
    deferred_here = 0;
    if
#ifdef FAULT_ACK_LOST
    :: c[k].last == 2
#endif
    :: acknowledge -> c[k].held++
    :: else
    fi;
    finish(k);
    number = 0;
    acknowledge = 0;
    kind0 = NONE;
    kind1 = NONE;
    first = 0
}

/* The reply has been taken. */
inline free_reply(k)
{
    c[k].replies--;
    if
    :: c[k].expired > 0 -> c[k].expired--
    :: else -> in_use--
    fi;
    if
#ifndef FAULT_OWN_FORGOTTEN
    :: c[k].waits_for_own -> c[k].waits_for_own = 0; ready = k
#endif
    :: else
    fi;
#ifndef FAULT_DEFERRED_FORGOTTEN
    freed = 1
#endif
}

/* Give back the credit of a reply that its client does not take. */
inline expire_reply(k)
{
    c[k].expired++;
    in_use--;
    freed = 1
}

#if SMALL
/* The same for a client that does not use its credit. */
inline expire_grant(k)
{
    c[k].grant_expired = 1;
    granted = granted - c[k].granted;
    if
    :: !is_excepted[PAIR(k, me)] && (may_exceed[PAIR(k, me)] || beyond_of[PAIR(k, me)] > 0) ->
        is_excepted[PAIR(k, me)] = 1;
        beyond[me] = beyond[me] - beyond_of[PAIR(k, me)]
    :: else
    fi;
    freed = 1
}
#endif

/* The data have arrived. */
inline finish_rndv(k)
{
    data[PAIR(k, me)] ? number;
    c[k].receiving = 0;
#ifndef FAULT_BUFFER_KEPT
    if
    :: c[k].accumulates -> c[k].accumulates = 0; free_reply(k)
    :: else
    fi;
#endif
    send_bundle(k, 0, number);
    number = 0
}

/* Messages of a client complete in any order: its next one is taken by the number. */
#ifdef FAULT_ORDER_CHECK_DROPPED
#define TAKE(k) request[PAIR(k, me)] ? _, acknowledge, kind0, kind1, first, more
#define REORDER(k) :: d_step { len(request[PAIR(k, me)]) > 1 -> \
    request[PAIR(k, me)] ? number, acknowledge, kind0, kind1, first, more; \
    request[PAIR(k, me)] ! number, acknowledge, kind0, kind1, first, more; more = 0 }
#else
#define TAKE(k) request[PAIR(k, me)] ?? eval(c[k].next_sequence), acknowledge, kind0, kind1, first, more
#define REORDER(k)
#endif
#ifdef FAULT_EXPIRED_REPLY_COUNTED
#define EXPIRE(k)
#else
#define EXPIRE(k) :: d_step { c[k].replies > c[k].expired && IS_DEFERRING -> expire_reply(k) }
#endif
#define COUNTED(k) (c[k].grant_expired -> 0 : c[k].granted)
#if CLIENTS == 1
#define IS_DEFERRING (c[0].deferred > 0)
#define ALL_GRANTED COUNTED(0)
#elif CLIENTS == 2
#define IS_DEFERRING (c[0].deferred + c[1].deferred > 0)
#define ALL_GRANTED (COUNTED(0) + COUNTED(1))
#else
#define IS_DEFERRING (c[0].deferred + c[1].deferred + c[2].deferred > 0)
#define ALL_GRANTED (COUNTED(0) + COUNTED(1) + COUNTED(2))
#endif
#if SMALL && !defined(FAULT_EXPIRED_GRANT_COUNTED)
#define EXPIRE_GRANT(k) :: d_step { c[k].granted > 0 && !c[k].grant_expired && IS_DEFERRING -> expire_grant(k) }
#else
#define EXPIRE_GRANT(k)
#endif
#define SERVE_CLIENT(k) \
    REORDER(k) \
    EXPIRE(k) \
    EXPIRE_GRANT(k) \
    :: d_step { TAKE(k) -> serve_message(k) } \
    :: d_step { c[k].replies > len(reply[PAIR(k, me)]) + with_replies[PAIR(k, me)] + c[k].accumulates -> free_reply(k) } \
    :: d_step { c[k].receiving > 0 && data[PAIR(k, me)] ? [eval(c[k].receiving)] -> finish_rndv(k) }

/* All is counted, and nothing is under way. */
#define ASSERT_DRAINED(k) \
    assert(c[k].served == transmitted_at_end[PAIR(k, me)] && c[k].held == 0 && c[k].news == 0); \
    assert(c[k].receiving == 0 && empty(request[PAIR(k, me)]) && empty(data[PAIR(k, me)])); \
    assert(empty(bundle[PAIR(k, me)]) && empty(reply[PAIR(k, me)]) && empty(cts[PAIR(k, me)]) && empty(result[PAIR(k, me)]))

proctype server(byte me)
{
    client_state c[CLIENTS];
    byte in_use;  /* replies that count */
    byte granted; /* the longest messages for which clients have credit, that excepted which has expired */
    byte number, first, more, deferred_here, in_end;
    byte replies; /* to short gets, in the bundle that is open */
    bit freed; /* credit for replies or requests */
    byte ready = NOBODY; /* a client of whom a reply is complete */
    byte first_in_line = NOBODY, next = NOBODY;
    bit acknowledge;
    mtype kind0, kind1;
    chan deferred[CLIENTS] = [MOST_DEFERRED] of { byte, mtype };
    /* Clients with deferred requests and no reply pending wait here for what others have. */
    chan for_reply_credit = [CLIENTS] of { byte };
    chan for_request_credit = [CLIENTS] of { byte };

end_serve:
    do
    :: atomic {
        if
        SERVE_CLIENT(0)
#if CLIENTS > 1
        SERVE_CLIENT(1)
#endif
#if CLIENTS > 2
        SERVE_CLIENT(2)
#endif
        fi;
        d_step { serve_deferred() }
    }
    :: control[me] ? FINALIZE -> in_end++
    :: control[me] ? STOP -> break
    od;
    atomic {
        ASSERT_DRAINED(0);
#if CLIENTS > 1
        ASSERT_DRAINED(1);
#endif
#if CLIENTS > 2
        ASSERT_DRAINED(2);
#endif
        assert(!IS_DEFERRING && empty(for_reply_credit) && empty(for_request_credit) && granted == ALL_GRANTED)
    }

    /* A server ends with the others, when all clients have come. */
#ifndef FAULT_SERVER_LEAVES
    do
    :: in_end < (CLIENTS + SERVERS - 1 - me) / SERVERS -> control[me] ? FINALIZE; in_end++
    :: else -> break
    od;
#endif
    finalized++;
    finalized == SERVERS;
    assert(in_finalize == CLIENTS)
}

init {
    byte i;
    atomic {
        for (i : 0 .. CLIENTS - 1) { run client(i) }
        for (i : 0 .. SERVERS - 1) { run server(i) }
    }
}
