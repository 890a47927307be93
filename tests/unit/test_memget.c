/* test_memget.c - memory that single processes allocate (ARMCI_Memget): access, and failures of
 * MPI. */

#include <armci.h>

#include "../../tools/lib/rng.h"
#include "fake_job.h"
#include "mem/region.h"
#include "transport/rma/rma.h"
#include "unit.h"

enum { ME = 0, THEM = 1, BYTES = 256 };

static char local[64], seen[64];

static void begin(void)
{
    job_start((struct job){0});
    armcii_memget_start();
    fake_forget();
    memset(local, 'x', sizeof local);
    memset(seen, 0, sizeof seen);
}

static void end(void)
{
    armcii_fence_all();
    armcii_memget_end();
    job_end();
}

static char *create(size_t bytes)
{
    char *memory = armcii_memget_create(bytes);
    ck_assert_ptr_nonnull(memory);
    memset(memory, 0, bytes);
    return memory;
}

/* Expects a call whose displacement is the address. */
static void expect_call(enum fake_kind kind, int rank, const char *address, size_t bytes)
{
    ck_assert_uint_gt(fake_calls(), 0);
    const struct fake_call *c = fake_call(0);
    ck_assert_int_eq(c->kind, kind);
    ck_assert_int_eq(c->rank, rank);
    ck_assert_msg(c->disp == (MPI_Aint)(uintptr_t)address, "the displacement is not the address");
    ck_assert_uint_eq(c->bytes, bytes);
    fake_forget();
}

TEST(own_memory)
{
    char *memory = create(BYTES);
    fake_expect("create", "attach 0/0 0+1048576");
    job_blocking(job_put(ME, local, memory + 8, 16));
    expect_call(FAKE_PUT, ME, memory + 8, 16);
    ck_assert_mem_eq(memory + 8, local, 16);
    ck_assert(memory[7] == 0 && memory[24] == 0);
    struct op beyond = job_put(ME, local, memory + BYTES - 8, 16);
    ck_assert_int_eq(armcii_op_blocking(&beyond), ARMCI_ERR_RANGE);
    ck_assert(armcii_memget_free(memory));
    fake_expect("free", "");
}

/* All processes share the simulated memory, so memory of this process stands for that of another.
 */
TEST(memory_of_another_process)
{
    char *memory = create(BYTES);
    ck_assert(armcii_memget_learn(THEM, memory, BYTES));
    fake_forget();
    job_blocking(job_put(THEM, local, memory + 40, 8));
    expect_call(FAKE_PUT, THEM, memory + 40, 8);
    job_blocking(job_get(THEM, seen, memory + 40, 8));
    ck_assert_mem_eq(seen, local, 8);
    ck_assert(armcii_memget_learn(THEM, memory, BYTES));
    ck_assert(armcii_memget_learn(THEM, memory + 8, BYTES - 8));
    struct raddr raddr;
    ck_assert(armcii_resolve(THEM, memory, 1, &raddr));
    ck_assert_ptr_eq(raddr.hi, memory + BYTES);
}

/* The other process freed the memory and allocated more at the same address. */
TEST(a_newer_allocation_replaces_the_older)
{
    char *memory = create(BYTES);
    struct raddr raddr;
    ck_assert(armcii_memget_learn(THEM, memory, 64));
    ck_assert(armcii_memget_learn(THEM, memory, 128));
    ck_assert(armcii_resolve(THEM, memory + 100, 1, &raddr));
    ck_assert_ptr_eq(raddr.lo, memory);
    ck_assert_ptr_eq(raddr.hi, memory + 128);
}

/* The same, and this process does not know: it uses the plain address. */
TEST(a_longer_allocation_is_used_by_its_address)
{
    char *memory = create(BYTES);
    struct raddr raddr;
    ck_assert(armcii_memget_learn(THEM, memory, 64));
    ck_assert(armcii_resolve(THEM, memory + 32, 32, &raddr));
    ck_assert_ptr_eq(raddr.hi, memory + 64);
    fake_forget();
    job_blocking(job_put(THEM, local, memory + 32, 64));
    expect_call(FAKE_PUT, THEM, memory + 32, 64);
    ck_assert(armcii_resolve(THEM, memory + 32, 64, &raddr));
    ck_assert_ptr_eq(raddr.hi, memory + 96);
}

TEST(regions_are_not_replaced)
{
    struct region *r = job_region(0, 4, BYTES);
    ck_assert(!armcii_memget_learn(THEM, job_address(r, THEM, 0), BYTES + 1));
    struct raddr raddr;
    ck_assert(armcii_lookup(THEM, job_address(r, THEM, 0), &raddr));
    ck_assert_ptr_eq(raddr.region, r);
}

/* Addresses without ARMCI_Memat are refused until this process uses such memory. */
TEST(undeclared_addresses)
{
    struct raddr raddr;
    ck_assert(!armcii_resolve(THEM, local, 8, &raddr));
    char *memory = create(BYTES);
    ck_assert(armcii_resolve(THEM, local, 8, &raddr));
    ck_assert_int_eq(raddr.rank, THEM);
    ck_assert_ptr_null(armcii_rma_origin(&raddr));
    ck_assert(!armcii_resolve(THEM, NULL, 8, &raddr));
    ck_assert(armcii_memget_free(memory));
    end();
    begin();
    ck_assert_msg(!armcii_resolve(THEM, local, 8, &raddr), "still in use after a restart");
}

TEST(free_of_other_memory)
{
    struct region *r = job_region(0, 4, BYTES);
    char *memory = create(BYTES);
    fake_forget();
    ck_assert(!armcii_memget_free(memory + 8));
    ck_assert(!armcii_memget_free(local));
    ck_assert(!armcii_memget_free(NULL));
    ck_assert(!armcii_memget_free(job_address(r, ME, 0)));
    fake_expect("refused", "");
    ck_assert(armcii_memget_free(memory));
    ck_assert(!armcii_memget_free(memory));
    struct raddr raddr;
    ck_assert(!armcii_lookup(ME, memory, &raddr));
}

TEST(attaching_fails)
{
    fake_mpi.failures = 1;
    ck_assert_ptr_null(armcii_memget_create(BYTES));
    fake_expect("refused", "attach 0/0 0+1048576");
    struct raddr raddr;
    ck_assert_msg(!armcii_resolve(ME, local, 8, &raddr), "in use without any memory");
    char *memory = create(BYTES);
    ck_assert(armcii_memget_free(memory));
}

TEST(no_dynamic_window)
{
    end();
    job_start((struct job){0});
    fake_mpi.failures = 1;
    armcii_memget_start();
    fake_expect("refused", "create-dynamic 0/0");
    ck_assert_ptr_null(armcii_memget_create(BYTES));
    ck_assert(!armcii_memget_learn(THEM, local, 8));
    ck_assert(!armcii_memget_free(local));
    struct raddr raddr;
    ck_assert(!armcii_resolve(THEM, local, 8, &raddr));
    fake_expect("no calls", "");
}

static struct rng random_numbers;

/* Bytes attached since the last fake_forget. */
static size_t attached_bytes(void)
{
    size_t bytes = 0;
    for (size_t i = 0; i < fake_calls(); i++)
        if (fake_call(i)->kind == FAKE_ATTACH) bytes += fake_call(i)->bytes;
    return bytes;
}

static struct block {
    char *memory;
    size_t bytes;
    char tag;
} blocks[400];

static void replace(struct block *b, size_t most)
{
    size_t wrong = 0;
    for (size_t i = 0; i < b->bytes; i++)
        wrong += b->memory[i] != b->tag;
    ck_assert_msg(wrong == 0, "%zu bytes of %zu were overwritten", wrong, b->bytes);
    if (b->memory) ck_assert(armcii_memget_free(b->memory));
    b->bytes = 1 + (size_t)rng_below(&random_numbers, (long)most);
    b->tag = (char)rng_below(&random_numbers, 256);
    b->memory = armcii_memget_create(b->bytes);
    ck_assert(b->memory && (uintptr_t)b->memory % 64 == 0);
    memset(b->memory, b->tag, b->bytes);
}

/* Blocks never overlap, and the attached memory stays near the largest need, although some blocks
 * are never freed. */
TEST(freed_memory_is_used_again)
{
    enum { BLOCKS = 400, PERMANENT = 40, LARGEST = 20000, STEPS = 6000 };
    size_t live = 0, most = 0;
    memset(blocks, 0, sizeof blocks);
    for (int step = 0; step < STEPS; step++) {
        struct block *b = step < BLOCKS
                              ? &blocks[step]
                              : &blocks[PERMANENT + rng_below(&random_numbers, BLOCKS - PERMANENT)];
        live -= b->bytes;
        replace(b, LARGEST);
        live += b->bytes;
        if (live > most) most = live;
    }
    ck_assert_msg(attached_bytes() <= 2 * most + (1 << 20), "%zu bytes for %zu", attached_bytes(),
                  most);
    for (int i = 0; i < BLOCKS; i++)
        ck_assert(armcii_memget_free(blocks[i].memory));
    fake_forget();
    create(3 << 20);
    ck_assert_msg(attached_bytes() == 0, "freed blocks were not merged");
}

/* A few permanent blocks between many temporary ones. */
TEST(permanent_blocks_do_not_fragment_memory)
{
    enum { ROUNDS = 200, TEMPORARY = 60, BYTES_EACH = 8192 };
    char *temporary[TEMPORARY];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < TEMPORARY; i++) {
            temporary[i] = create(BYTES_EACH);
            if (i == TEMPORARY / 2) create(64);
        }
        for (int i = 0; i < TEMPORARY; i++)
            ck_assert(armcii_memget_free(temporary[i]));
    }
    ck_assert_msg(attached_bytes() == 1 << 20, "%zu bytes for %d", attached_bytes(),
                  TEMPORARY * BYTES_EACH + ROUNDS * 64);
}

const struct unit unit = {.begin = begin, .end = end};
