/* protocol.pml - the protocol of src/transport/am between clients and servers, for the model checker SPIN. The names are those of proto.h,
 * endpoint.c, client.c and server.c; README.md says what is checked, and what is assumed.
 *
 * A message takes one credit, full or not. "Ghost" marks what only assertions read. -DFAULT_X plants an error, which an assertion or a
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
#ifndef RNDVS
#define RNDVS 1
#endif
#define ROOM 2         /* requests of a message */
#define BUFFERS 2      /* of a client, for messages that are open or not yet received */
#define MAX_UNACKED 2  /* messages of a client to a server */
#define MAX_GRANTED 6  /* credits of all clients of a server together */
#define LEAST 1        /* credits of a client in any case */
#define RNDV_CREDITS 1 /* of rendezvous data that MPI may deliver before their receive is posted */
#define POOL 1         /* buffers for replies of a server */

/* Requests. PUT: eager, an accumulate as well. RNDV, HUGE: rendezvous puts; MPI delivers the data of HUGE only into a posted receive, so
 * they take no credits. GET: with a packed reply. All of them read or write the same bytes. */
#define NONE 0
mtype = { PUT, RNDV, HUGE, GET };
#define IS_RNDV(what) ((what) == RNDV || (what) == HUGE)

/* ---- the network ---- */

#define PAIR(c, s) ((c) * SERVERS + (s))
#define PAIRS (CLIENTS * SERVERS)
#define MOST (MAX_GRANTED / 2 + 1) /* messages of a client to a server: a send beyond it fails an assertion */
/* sequence, acknowledge, the requests; ghost: number of the first request */
chan request[PAIRS] = [MOST] of { byte, bit, mtype, mtype, byte };
/* of a message, of a rendezvous put (or 0), granted; ghost: the last request served */
chan ack[PAIRS] = [MOST] of { bit, byte, byte, byte };
chan data[PAIRS] = [1] of { byte };
chan reply[PAIRS] = [CALLS] of { byte };
mtype = { STOP, FINALIZE };
chan control[SERVERS] = [CLIENTS + 1] of { mtype };

byte arrived;                              /* clients at a barrier */
byte finalized;                            /* servers at theirs */
byte in_finalize;                          /* ghost: clients that end MPI */
byte charged_at_end[PAIRS], granted_at_end[PAIRS]; /* ghost */

/* ---- a client ---- */

typedef endpoint {
    byte n; /* requests of the open message */
    mtype kind[ROOM];
    bit acknowledge, due;
    byte rndv_credits;
    byte sequence, unacked, charged, granted;
    byte rndv;   /* the put whose data are not in place; 0: none */
    byte gets;   /* whose replies have not arrived */
    byte issued; /* the last request, numbered from 1 on */
    byte put;    /* the last PUT */
    byte served; /* ghost: the last request known to be served */
};

#define HAS_CREDITS(s, n) (e[s].charged + (n) <= e[s].granted)
#define HAS_PUT(s) (e[s].put > e[s].issued - e[s].n) /* in the open message */

inline send_now(s)
{
    e[s].charged = e[s].charged + charge;
    assert(e[s].charged <= e[s].granted + 1); /* at most one message without a grant */
    e[s].rndv_credits = 0;
    if
#ifndef FAULT_NO_ACK_REQUESTED
    :: !HAS_CREDITS(s, 1) || (!THREAD && HAS_PUT(s)) -> e[s].acknowledge = 1
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
        charge = 1 + e[s].rndv_credits;
        e[s].due = !HAS_CREDITS(s, charge) && e[s].unacked > 0; /* an acknowledgement with a grant is on its way */
        if
        :: e[s].due -> e[s].acknowledge = 1
        :: else -> send_now(s)
        fi;
        charge = 0
    :: else
    fi
}

inline handle_ack(s)
{
    e[s].unacked = e[s].unacked - of_message;
    if
    :: of_rndv > 0 -> assert(of_rndv == e[s].rndv); e[s].rndv = 0
    :: else
    fi;
    of_message = 0;
    of_rndv = 0;
    if
    :: e[s].unacked == 0 || e[s].due -> endpoint_send(s)
    :: else
    fi
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
    :: d_step { ack[PAIR(me, 0)] ? of_message, of_rndv, e[0].granted, e[0].served -> handle_ack(0) }
    :: d_step { reply[PAIR(me, 0)] ? _ -> handle_reply(0) }
#if SERVERS > 1
    :: d_step { ack[PAIR(me, 1)] ? of_message, of_rndv, e[1].granted, e[1].served -> handle_ack(1) }
    :: d_step { reply[PAIR(me, 1)] ? _ -> handle_reply(1) }
#endif
    od;
    skip /* a d_step may follow */
}

#define IS_COMPLETE(s) (e[s].n == 0 && e[s].unacked == 0 && e[s].rndv == 0 && e[s].gets == 0)
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
    :: IS_RNDV(what) -> e[s].rndv = e[s].issued; e[s].rndv_credits = (what == RNDV -> RNDV_CREDITS : 0)
    fi
}

inline start(s, what)
{
#ifndef FAULT_RNDV_OVERTAKEN
    await(e[s].rndv == 0);
#endif
    if
    :: what == RNDV -> /* armcii_endpoint_may_rndv */
        await(HAS_CREDITS(s, RNDV_CREDITS + 2) || e[s].unacked == 0);
        if
        :: HAS_CREDITS(s, RNDV_CREDITS + 2)
        :: else -> what = PUT
        fi
    :: else
    fi;
    make_room(s);
    d_step {
        append(s, what);
        if
        :: what != PUT || e[s].unacked == 0 || e[s].n == ROOM -> endpoint_send(s)
        :: else
        fi;
        if
        :: IS_RNDV(what) -> data[PAIR(me, s)] ! e[s].issued
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
#if RNDVS
    :: what = RNDV
    :: what = HUGE
#endif
    fi
}

#define ASSERT_SERVED(s) assert(e[s].served >= e[s].put)
#define ASSERT_LEFT(s) assert(!HAS_PUT(s))
#define REPORT(s) charged_at_end[PAIR(me, s)] = e[s].charged; granted_at_end[PAIR(me, s)] = e[s].granted

/* Between two waits no other process matters: atomic. */
proctype client(byte me)
{
    endpoint e[SERVERS];
    byte calls, s, charge, of_rndv;
    bit of_message;
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
    byte served, granted; /* credits, from the start */
    byte replies;         /* pending, with buffers */
    byte receiving;       /* the rendezvous put whose data have not arrived; 0: none */
    byte last;            /* ghost: the last request served */
};

#define UNUSED(k) (c[k].granted - c[k].served)
#ifdef FAULT_NO_SPARE_REPLY
#define CAN_REPLY(k) (in_use < POOL)
#else
#define CAN_REPLY(k) (c[k].replies == 0 || in_use < POOL)
#endif

inline use_credits(k, bytes)
{
    grants = grants - (bytes < UNUSED(k) -> bytes : UNUSED(k));
    c[k].served = c[k].served + bytes;
    if
    :: c[k].granted < c[k].served -> c[k].granted = c[k].served
    :: else
    fi
}

inline grant(k)
{
    others = grants - UNUSED(k);
    share = (others < MAX_GRANTED -> (MAX_GRANTED - others) / 2 : 0);
    if
    :: share < LEAST -> share = LEAST
    :: else
    fi;
    if
    :: share > UNUSED(k) -> grants = grants + share - UNUSED(k); c[k].granted = c[k].served + share
    :: else
    fi;
    assert(grants <= MAX_GRANTED + CLIENTS * LEAST);
    others = 0;
    share = 0
}

inline send_ack(k, message, put)
{
    grant(k);
    assert(nfull(ack[PAIR(k, me)]));
    ack[PAIR(k, me)] ! message, put, c[k].granted, c[k].last
}

inline reply_packed(k, number)
{
    assert(c[k].receiving == 0 || c[k].receiving > number); /* a get sees what its client has put before */
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
#ifndef FAULT_CREDIT_NOT_RETURNED
        use_credits(k, (what == RNDV -> RNDV_CREDITS : 0))
#endif
    :: what == GET ->
        if
        :: CAN_REPLY(k) -> reply_packed(k, number)
        :: else -> deferred ! k, number
        fi
    fi
}

inline serve_message(k)
{
    c[k].next_sequence++;
    serve(k, kind0, first);
    if
    :: kind1 != NONE -> serve(k, kind1, first + 1)
    :: else
    fi;
    use_credits(k, 1);
    if
#ifdef FAULT_ACK_LOST
    :: c[k].last == 2
#endif
    :: acknowledge -> send_ack(k, 1, 0)
    :: else
    fi;
    acknowledge = 0;
    kind0 = NONE;
    kind1 = NONE;
    first = 0
}

/* Those that find a buffer now. */
inline serve_deferred()
{
    left = len(deferred);
    do
    :: left > 0 ->
        deferred ? k, number;
        if
        :: CAN_REPLY(k) -> reply_packed(k, number)
        :: else -> deferred ! k, number
        fi;
        left--
    :: else -> break
    od;
    k = 0;
    number = 0
}

/* The reply has been taken. */
inline free_reply(k)
{
    c[k].replies--;
    in_use--
#ifndef FAULT_DEFERRED_FORGOTTEN
    ; serve_deferred()
#endif
}

/* The data of the put have arrived. */
inline finish_rndv(k)
{
    data[PAIR(k, me)] ? number;
    c[k].receiving = 0;
    send_ack(k, 0, number);
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
#define SERVE_CLIENT(k) \
    REORDER(k) \
    :: d_step { TAKE(k) -> serve_message(k) } \
    :: d_step { c[k].replies > len(reply[PAIR(k, me)]) -> free_reply(k) } \
    :: d_step { c[k].receiving > 0 && data[PAIR(k, me)] ? [eval(c[k].receiving)] -> finish_rndv(k) }

/* Both sides agree on the credits, and nothing is under way. */
#define ASSERT_DRAINED(k) \
    assert(c[k].served == charged_at_end[PAIR(k, me)] && c[k].granted == granted_at_end[PAIR(k, me)]); \
    assert(c[k].receiving == 0 && empty(request[PAIR(k, me)]) && empty(data[PAIR(k, me)])); \
    assert(empty(ack[PAIR(k, me)]) && empty(reply[PAIR(k, me)])); \
    grants = grants - UNUSED(k)

proctype server(byte me)
{
    client_state c[CLIENTS];
    byte grants, in_use; /* credits that clients have not used; buffers */
    byte share, others, k, number, left, first, in_end;
    bit acknowledge;
    mtype kind0, kind1;
    chan deferred = [CLIENTS * CALLS] of { byte, byte };

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
        assert(grants == 0 && empty(deferred))
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
