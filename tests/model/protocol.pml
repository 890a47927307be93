/* protocol.pml - the protocol of src/transport/am between clients and servers, for the model checker SPIN. The names are those of proto.h,
 * endpoint.c, client.c and server.c; README.md says what is checked, and what is assumed.
 *
 * A message counts MESSAGE in the window, full or not. "Ghost" marks what only assertions read. -DFAULT_X plants an error, which an assertion or a
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
#ifndef THREAD
#define THREAD 1 /* clients have a progress thread; 0: servers are progress ranks */
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
#define ROOM 2         /* requests of a message */
#define BUFFERS 2      /* of a client, for messages that are open or not yet received */
#define MAX_UNACKED 2  /* messages of a client to a server */
#define AT_ONCE 1      /* short gets that are sent at once */
#define MESSAGE ROOM   /* what a message counts: 1 for each request */
#define RNDV_DATA 2    /* what rendezvous data count that MPI may deliver before their receive is posted */
#define WINDOW (2 * MESSAGE + RNDV_DATA)
#define POOL 1         /* replies of a server that are under way at a time */

/* Requests. PUT: eager, an accumulate as well. RNDV, ASK, HUGE: rendezvous puts; the data of ASK wait until the server has posted the
 * receive, MPI delivers those of HUGE only then, so they do not count. GET: with a packed reply; SHORT: a get with a reply in an answer. All of
 * them read or write the same bytes. */
#define NONE 0
mtype = { PUT, RNDV, ASK, HUGE, GET, SHORT };
#define IS_RNDV(what) ((what) == RNDV || (what) == ASK || (what) == HUGE)

/* ---- the network ---- */

#define PAIR(c, s) ((c) * SERVERS + (s))
#define PAIRS (CLIENTS * SERVERS)
#define MOST (WINDOW / MESSAGE + 1) /* messages of a client to a server: a send beyond it fails an assertion */
/* sequence, acknowledge, the requests; ghost: number of the first request */
chan request[PAIRS] = [MOST] of { byte, bit, mtype, mtype, byte };
/* of so many messages, of a rendezvous put (or 0), served, replies to so many short gets; ghost: the last request served */
chan answer[PAIRS] = [MOST + 1] of { byte, byte, byte, byte, byte };
byte with_replies[PAIRS]; /* answers under way that have replies */
chan data[PAIRS] = [1] of { byte };
chan go[PAIRS] = [1] of { byte };
chan reply[PAIRS] = [CALLS] of { byte };
mtype = { STOP, FINALIZE };
chan control[SERVERS] = [CLIENTS + 1] of { mtype };

byte arrived;                              /* clients at a barrier */
byte finalized;                            /* servers at theirs */
byte in_finalize;                          /* ghost: clients that end MPI */
byte transmitted_at_end[PAIRS];            /* ghost */

/* ---- a client ---- */

typedef endpoint {
    byte n; /* requests of the open message */
    mtype kind[ROOM];
    bit acknowledge, due;
    byte rndv_data;
    byte sequence, unacked, transmitted, served;
    byte rndv;   /* the put whose data are not in place; 0: none */
    byte gets;   /* whose replies have not arrived */
    byte shorts; /* the same */
    byte issued; /* the last request, numbered from 1 on */
    byte put;    /* the last PUT */
    byte known;  /* ghost: the last request known to be served */
};

#define HAS_ROOM(s, n) (e[s].transmitted + (n) <= e[s].served + WINDOW)
#define HAS_PUT(s) (e[s].put > e[s].issued - e[s].n) /* in the open message */

inline send_now(s)
{
    e[s].transmitted = e[s].transmitted + size;
    assert(e[s].transmitted <= e[s].served + WINDOW + MESSAGE);
    e[s].rndv_data = 0;
    if
#ifndef FAULT_NO_ACK_REQUESTED
    :: !HAS_ROOM(s, MESSAGE) || (!THREAD && HAS_PUT(s)) -> e[s].acknowledge = 1
#endif
    :: else
    fi;
    e[s].unacked = e[s].unacked + e[s].acknowledge;
    assert(nfull(request[PAIR(me, s)]));
    request[PAIR(me, s)] ! e[s].sequence, e[s].acknowledge, e[s].kind[0], e[s].kind[1], e[s].issued - e[s].n + 1;
    e[s].sequence++;
    e[s].n = 0;
    e[s].kind[0] = NONE;
    e[s].kind[1] = NONE;
    e[s].acknowledge = 0
}

inline endpoint_send(s)
{
    if
    :: e[s].n > 0 ->
        size = MESSAGE + e[s].rndv_data;
        e[s].due = !HAS_ROOM(s, size) && e[s].unacked > 0; /* an acknowledgement is on its way */
        if
        :: e[s].due -> e[s].acknowledge = 1
        :: else -> send_now(s)
        fi;
        size = 0
    :: else
    fi
}

inline handle_answer(s)
{
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
    of_messages = 0;
    of_shorts = 0;
    of_rndv = 0;
    if
#ifndef FAULT_GETS_KEPT
    :: e[s].unacked == 0 || e[s].due -> endpoint_send(s)
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
    :: d_step { answer[PAIR(me, 0)] ? of_messages, of_rndv, e[0].served, of_shorts, e[0].known -> handle_answer(0) }
    :: d_step { go[PAIR(me, 0)] ? of_rndv -> send_data(0) }
    :: d_step { reply[PAIR(me, 0)] ? _ -> handle_reply(0) }
#if SERVERS > 1
    :: d_step { answer[PAIR(me, 1)] ? of_messages, of_rndv, e[1].served, of_shorts, e[1].known -> handle_answer(1) }
    :: d_step { go[PAIR(me, 1)] ? of_rndv -> send_data(1) }
    :: d_step { reply[PAIR(me, 1)] ? _ -> handle_reply(1) }
#endif
    od;
    skip /* a d_step may follow */
}

#define IS_COMPLETE(s) (e[s].n == 0 && e[s].unacked == 0 && e[s].rndv == 0 && e[s].gets == 0 && e[s].shorts == 0)
#if SERVERS > 1
#define ALL_COMPLETE (IS_COMPLETE(0) && IS_COMPLETE(1))
#define USED_BUFFERS ((e[0].n > 0) + (e[1].n > 0) + len(request[PAIR(me, 0)]) + len(request[PAIR(me, 1)]))
#define EACH_SERVER(action) action(0); action(1)
#else
#define ALL_COMPLETE IS_COMPLETE(0)
#define USED_BUFFERS ((e[0].n > 0) + len(request[PAIR(me, 0)]))
#define EACH_SERVER(action) action(0)
#endif

/* Room in the open message. */
inline make_room(s)
{
    await(e[s].n < ROOM);
    if
    :: e[s].n == 0 -> d_step { EACH_SERVER(endpoint_send) }; await(USED_BUFFERS < BUFFERS)
    :: else
    fi
}

inline append(s, what)
{
    e[s].kind[e[s].n] = what;
    e[s].n++;
    e[s].issued++;
    if
    :: what == PUT -> e[s].put = e[s].issued; e[s].acknowledge = 1
    :: what == GET -> e[s].gets++
    :: what == SHORT -> e[s].shorts++
    :: IS_RNDV(what) -> e[s].rndv = e[s].issued; e[s].rndv_data = (what == RNDV -> RNDV_DATA : 0)
    fi
}

inline start(s, what)
{
#ifndef FAULT_RNDV_OVERTAKEN
    await(e[s].rndv == 0);
#endif
    if
    :: what == RNDV && !HAS_ROOM(s, RNDV_DATA + 2 * MESSAGE) -> what = ASK
    :: else
    fi;
    make_room(s);
    d_step {
        append(s, what);
        if
        :: what == PUT && (e[s].unacked == 0 || e[s].n == ROOM) -> endpoint_send(s)
        :: what == SHORT && (!THREAD || e[s].shorts <= AT_ONCE) -> endpoint_send(s)
        :: what != PUT && what != SHORT -> endpoint_send(s)
        :: else
        fi;
        if
        :: what == RNDV || what == HUGE -> data[PAIR(me, s)] ! e[s].issued
        :: else
        fi
    }
}

/* Before the program goes on. */
inline leave(s, what)
{
    if
    :: THREAD -> await(e[s].unacked <= MAX_UNACKED)
#ifndef FAULT_NO_LEAVE
    :: !THREAD && what == PUT -> d_step { endpoint_send(s) }; await(!e[s].due && e[s].unacked <= 1)
#endif
    :: else
    fi
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
    :: what = HUGE
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
    byte calls, s, size, of_rndv, of_messages, of_shorts;
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
        :: true -> d_step { endpoint_send(s) }; await(IS_COMPLETE(s)); ASSERT_SERVED(s) /* the wait of a blocking get; a fence */
        fi;
        what = NONE;
        s = 0 }
    :: calls == CALLS -> break
    od;
    atomic {
#if THREAD
        /* The program computes: what it has started completes nevertheless. */
#else
        EACH_SERVER(ASSERT_LEFT);
        if
        :: true -> goto end_computes /* and never calls again: others must not wait for it */
        :: true -> d_step { EACH_SERVER(endpoint_send) }
        fi;
#endif
#ifdef FAULT_FINALIZE_WITHOUT_FENCE
        if
        :: me == 0
        :: me > 0 -> await(ALL_COMPLETE)
        fi;
#else
        await(ALL_COMPLETE);
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
    byte late;            /* of these, not in in_use any more */
    byte deferred;        /* requests */
    byte held;            /* messages to acknowledge when no request is deferred */
    byte receiving;       /* the rendezvous put whose data have not arrived; 0: none */
    byte last;            /* ghost: the last request served */
};

#define CAN_REPLY(k) (c[k].replies == 0 && in_use < POOL)

inline send_answer(k, messages, put)
{
    assert(nfull(answer[PAIR(k, me)]));
    answer[PAIR(k, me)] ! messages, put, c[k].served, replies, c[k].last;
    if
    :: replies > 0 -> c[k].replies++; in_use++; with_replies[PAIR(k, me)]++; replies = 0
    :: else
    fi
}

/* Its requests at hand are served, or deferred. */
inline send_replies_and_acks(k)
{
    if
#ifndef FAULT_ACK_NOT_HELD
    :: c[k].deferred > 0 && replies > 0 -> send_answer(k, 0, 0)
    :: c[k].deferred > 0 && replies == 0
    :: c[k].deferred == 0 && (replies > 0 || c[k].held > 0) -> send_answer(k, c[k].held, 0); c[k].held = 0
#else
    :: replies > 0 || c[k].held > 0 -> send_answer(k, c[k].held, 0); c[k].held = 0
#endif
    :: else
    fi
}

inline reply_packed(k, number)
{
    assert(c[k].receiving == 0); /* a get sees what its client has put before */
    if
    :: replies > 0 -> send_answer(k, 0, 0)
    :: else
    fi;
    c[k].replies++;
    in_use++;
    reply[PAIR(k, me)] ! number
}

inline serve(k, what, number)
{
    assert(number == c[k].last + 1); /* nothing is lost, applied twice or overtaken */
    c[k].last = number;
    if
    :: what == PUT -> assert(c[k].receiving == 0)
    :: IS_RNDV(what) ->
        assert(c[k].receiving == 0);
        c[k].receiving = number;
        if
#ifndef FAULT_DATA_NOT_COUNTED
        :: what == RNDV -> c[k].served = c[k].served + RNDV_DATA
#endif
#ifndef FAULT_GO_LOST
        :: what == ASK -> go[PAIR(k, me)] ! number
#endif
        :: else
        fi
    :: what == GET -> reply_packed(k, number)
    :: what == SHORT -> assert(c[k].receiving == 0); replies++
    fi
}

#define IS_GET(what) ((what) == GET || (what) == SHORT)
#define CAN_SERVE(k, what) (!IS_GET(what) || CAN_REPLY(k))
#ifdef FAULT_DEFERRED_OVERTAKEN
#define MUST_WAIT(k, what) (IS_GET(what) && c[k].deferred > 0)
#else
#define MUST_WAIT(k, what) (c[k].deferred > 0)
#endif

inline serve_or_defer(k, what, number)
{
    if
    :: !MUST_WAIT(k, what) && CAN_SERVE(k, what) -> serve(k, what, number)
    :: else -> deferred ! k, number, what; c[k].deferred++; deferred_here++
    fi
}

inline serve_message(k)
{
    c[k].next_sequence++;
    serve_or_defer(k, kind0, first);
    if
    :: kind1 != NONE -> serve_or_defer(k, kind1, first + 1)
    :: else
    fi;
    c[k].served = c[k].served + MESSAGE - deferred_here;
    deferred_here = 0;
    if
#ifdef FAULT_ACK_LOST
    :: c[k].last == 2
#endif
    :: acknowledge -> c[k].held++
    :: else
    fi;
    send_replies_and_acks(k);
    acknowledge = 0;
    kind0 = NONE;
    kind1 = NONE;
    first = 0
}

/* Each client's in order, until a get finds no memory. */
inline serve_deferred()
{
    left = len(deferred);
    do
    :: left > 0 ->
        deferred ? k, number, kind0;
        if
        :: !(blocked & (1 << k)) && CAN_SERVE(k, kind0) ->
            serve(k, kind0, number);
            c[k].deferred--;
            c[k].served++;
#ifndef FAULT_REPLY_KEPT
            send_replies_and_acks(k)
#endif
        :: else -> deferred ! k, number, kind0; blocked = blocked | (1 << k)
        fi;
        left--
    :: else -> break
    od;
    k = 0;
    number = 0;
    kind0 = NONE;
    blocked = 0
}

/* The reply has been taken. */
inline free_reply(k)
{
    c[k].replies--;
    if
    :: c[k].late > 0 -> c[k].late--
    :: else -> in_use--
    fi
#ifndef FAULT_DEFERRED_FORGOTTEN
    ; serve_deferred()
#endif
}

/* Nobody waits for a client that takes no reply. */
inline discount_late_reply(k)
{
    c[k].late++;
    in_use--;
    serve_deferred()
}

/* The data of the put have arrived. */
inline finish_rndv(k)
{
    data[PAIR(k, me)] ? number;
    c[k].receiving = 0;
    send_answer(k, 0, number);
    number = 0
}

/* Messages of a client complete in any order: its next one is taken by the number. */
#ifdef FAULT_ORDER_CHECK_DROPPED
#define TAKE(k) request[PAIR(k, me)] ? _, acknowledge, kind0, kind1, first
#define REORDER(k) :: d_step { len(request[PAIR(k, me)]) > 1 -> \
    request[PAIR(k, me)] ? number, acknowledge, kind0, kind1, first; \
    request[PAIR(k, me)] ! number, acknowledge, kind0, kind1, first }
#else
#define TAKE(k) request[PAIR(k, me)] ?? eval(c[k].next_sequence), acknowledge, kind0, kind1, first
#define REORDER(k)
#endif
#ifdef FAULT_LATE_REPLY_COUNTED
#define DISCOUNT(k)
#else
#define DISCOUNT(k) :: d_step { c[k].replies > c[k].late && nempty(deferred) -> discount_late_reply(k) }
#endif
#define SERVE_CLIENT(k) \
    REORDER(k) \
    DISCOUNT(k) \
    :: d_step { TAKE(k) -> serve_message(k) } \
    :: d_step { c[k].replies > len(reply[PAIR(k, me)]) + with_replies[PAIR(k, me)] -> free_reply(k) } \
    :: d_step { c[k].receiving > 0 && data[PAIR(k, me)] ? [eval(c[k].receiving)] -> finish_rndv(k) }

/* All is counted, and nothing is under way. */
#define ASSERT_DRAINED(k) \
    assert(c[k].served == transmitted_at_end[PAIR(k, me)] && c[k].held == 0); \
    assert(c[k].receiving == 0 && empty(request[PAIR(k, me)]) && empty(data[PAIR(k, me)])); \
    assert(empty(answer[PAIR(k, me)]) && empty(reply[PAIR(k, me)]) && empty(go[PAIR(k, me)]))

proctype server(byte me)
{
    client_state c[CLIENTS];
    byte in_use; /* replies that count */
    byte k, number, left, first, deferred_here, in_end;
    byte replies; /* to short gets, in the answer that is open */
    byte blocked; /* bits: clients whose oldest deferred request must wait */
    bit acknowledge;
    mtype kind0, kind1;
    chan deferred = [CLIENTS * CALLS] of { byte, byte, mtype };

end_serve:
    do
    SERVE_CLIENT(0)
#if CLIENTS > 1
    SERVE_CLIENT(1)
#endif
#if CLIENTS > 2
    SERVE_CLIENT(2)
#endif
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
        assert(empty(deferred))
    }

    /* A progress rank ends MPI with the others, when all processes that it serves have come. */
#ifndef FAULT_PROGRESS_RANK_LEAVES
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
