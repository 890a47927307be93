/* own_memory.c - counting what the library allocates: the program's malloc stands before that of
 * the C library. */
#define _GNU_SOURCE
#include "own_memory.h"

#include <armci.h>

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *p, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *p);

static uintptr_t library_begin, library_end; /* where the library's instructions are */
static atomic_long in_use, most_in_use;

static bool is_library(const void *caller)
{
    return (uintptr_t)caller >= library_begin && (uintptr_t)caller < library_end;
}

static void count(long bytes)
{
    long sum = atomic_fetch_add(&in_use, bytes) + bytes, most = atomic_load(&most_in_use);
    while (sum > most && !atomic_compare_exchange_weak(&most_in_use, &most, sum))
        ;
}

/* What the caller got, which counts if it is the library. */
static void *got(void *p, const void *caller)
{
    if (is_library(caller)) count((long)malloc_usable_size(p));
    return p;
}

static void gives_back(void *p, const void *caller)
{
    if (is_library(caller)) count(-(long)malloc_usable_size(p));
}

void *malloc(size_t bytes)
{
    return got(__libc_malloc(bytes), __builtin_return_address(0));
}

void *calloc(size_t n, size_t bytes)
{
    return got(__libc_calloc(n, bytes), __builtin_return_address(0));
}

void *realloc(void *p, size_t bytes)
{
    gives_back(p, __builtin_return_address(0));
    return got(__libc_realloc(p, bytes), __builtin_return_address(0));
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return got(__libc_memalign(alignment, bytes), __builtin_return_address(0));
}

void free(void *p)
{
    gives_back(p, __builtin_return_address(0));
    __libc_free(p);
}

/* The object that holds the address: if it is this one, remember where it ends. */
static int remember_object(struct dl_phdr_info *object, size_t size, void *address)
{
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t begin = object->dlpi_addr + part->p_vaddr, end = begin + part->p_memsz;
        if (part->p_type != PT_LOAD || (uintptr_t)address < begin || (uintptr_t)address >= end)
            continue;
        library_begin = begin;
        library_end = end;
        return 1;
    }
    return 0;
}

void own_memory_start(void)
{
    void *inside = dlsym(RTLD_DEFAULT, "ARMCI_Init");
    if (!inside)
        *(int (**)(void)) & inside =
            ARMCI_Init; /* linked statically: the program is counted, too */
    dl_iterate_phdr(remember_object, inside);
}

long own_memory_in_use(void)
{
    return atomic_load(&in_use);
}

long own_memory_most(void)
{
    return atomic_load(&most_in_use);
}
