/* shm.c - the transport shm: mutexes, operations and the tables of their functions. */
#include "transport/shm/shm.h"

#include "transport/shm/mutex.h"

/* ---- mutexes ---- */

static void lock(void *set, int owner, int mutex)
{
    armcii_mutex_lock(armcii_mutex_address(set, owner, mutex));
}

static bool trylock(void *set, int owner, int mutex)
{
    return armcii_mutex_trylock(armcii_mutex_address(set, owner, mutex));
}

static void unlock(void *set, int owner, int mutex)
{
    armcii_mutex_unlock(armcii_mutex_address(set, owner, mutex));
}

const struct mutexes armcii_shm_mutexes = {
    .create = armcii_mutexes_create,
    .free = armcii_mutexes_free,
    .lock = lock,
    .trylock = trylock,
    .unlock = unlock,
};

/* ---- operations ---- */

static int start(const struct op *op, const struct raddr *raddr, struct request *req)
{
    (void)raddr, (void)req;
    switch (op->verb.kind) {
    case OP_PUT: armcii_apply_put(&op->shape); break;
    case OP_GET: armcii_apply_get(&op->shape); break;
    case OP_ACC:
        armcii_apply_accumulate(op->verb.element, op->scale, op->target, &op->shape);
        break;
    }
    if (op->verb.kind != OP_GET) armcii_stores_pending = true;
    return 0;
}

static void order(const struct raddr *raddr, int target, struct op_verb verb, const char *lo,
                  const char *hi)
{
    (void)raddr, (void)target, (void)verb, (void)lo, (void)hi;
    armcii_drain_stores();
}

static long rmw(const struct raddr *raddr, int target, enum rmw_update update, size_t bytes,
                void *remote, long operand)
{
    (void)raddr, (void)target;
    return armcii_apply_rmw(update, bytes, remote, operand);
}

const struct transport armcii_shm = {
    .name = "shm",
    .start = start,
    .order = order,
    .rmw = rmw,
};
