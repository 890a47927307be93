/* core_to_core.c - prints the nanoseconds that a cache line takes from the first processor that may
 * be used to the last one and back; nothing if there is one only.
 *
 * Where a hypervisor runs the processors of a virtual machine next to each other, or far apart,
 * changes this time fivefold, and so all times between two processes. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

enum { MEASURE_NS = 100000000, ROUND_TRIPS = 100 };

static _Alignas(64) atomic_uint there;
static _Alignas(64) atomic_uint back;
static atomic_bool at_end;

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void pin(int processor)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    sched_setaffinity(0, sizeof one, &one);
}

static void *echo(void *last)
{
    pin(*(int *)last);
    while (!atomic_load(&at_end))
        atomic_store(&back, atomic_load(&there));
    return NULL;
}

static long round_trips(void)
{
    static unsigned number;
    long begin = now();
    for (int i = 0; i < ROUND_TRIPS; i++) {
        atomic_store(&there, ++number);
        while (atomic_load(&back) != number)
            continue;
    }
    return now() - begin;
}

int main(void)
{
    cpu_set_t allowed;
    int first = 0, last = CPU_SETSIZE - 1;
    pthread_t other;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) return 0;
    while (!CPU_ISSET(first, &allowed))
        first++;
    while (!CPU_ISSET(last, &allowed))
        last--;
    pin(first);
    if (pthread_create(&other, NULL, echo, &last) != 0) return 1;
    long best = round_trips(), begin = now();
    while (now() - begin < MEASURE_NS) {
        long taken = round_trips();
        if (taken < best) best = taken;
    }
    atomic_store(&at_end, true);
    pthread_join(other, NULL);
    printf("%ld\n", best / ROUND_TRIPS);
    return 0;
}
