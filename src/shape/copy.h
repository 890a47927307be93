/* copy.h - copies by load and store: contiguous memory, or a whole transfer whose remote side is
 * in this process's memory.
 *
 * Pure: no MPI, no global state, no allocation. Nontemporal stores are fenced, so a release by the
 * caller publishes them. */
#ifndef ARMCII_COPY_H
#define ARMCII_COPY_H

#include <stddef.h>
#include <stdint.h>

#include "shape/shape.h"

/* One register, or two words where there is none of 16 bytes. */
typedef uint64_t block16 __attribute__((vector_size(16)));

/* memmove of more than 64 bytes (copy_long.c). */
void armcii_copy_long(void *dst, const void *src, size_t bytes);

/* The same for gets: a word of the source that others change at the same time, by accumulates, is
 * read as a whole, at any address of the destination. */
void armcii_load_long(void *dst, const void *src, size_t bytes);

/* Copies a whole transfer: to SHAPE_REMOTE is a put, to SHAPE_LOCAL a get. Segments are copied in
 * order. */
void armcii_copy_shape(const struct shape *s, enum shape_side to);

/* ---- short copies as head and tail, which may overlap. Both are read before either is written,
 * so src and dst may overlap ---- */

#define COPY_ENDS(WIDTH, TYPE)                                                                     \
    static inline void armcii_copy_ends##WIDTH(char *dst, const char *src, size_t bytes)           \
    {                                                                                              \
        TYPE head, tail;                                                                           \
        __builtin_memcpy(&head, src, WIDTH);                                                       \
        __builtin_memcpy(&tail, src + bytes - WIDTH, WIDTH);                                       \
        __builtin_memcpy(dst, &head, WIDTH);                                                       \
        __builtin_memcpy(dst + bytes - WIDTH, &tail, WIDTH);                                       \
    }
COPY_ENDS(4, uint32_t) /* 5..7 bytes */
COPY_ENDS(8, uint64_t) /* 9..16 bytes */
COPY_ENDS(16, block16) /* 17..32 bytes */

/* 33..64 bytes */
static inline void armcii_copy_ends32(char *dst, const char *src, size_t bytes)
{
    block16 head[2], tail[2];
    __builtin_memcpy(&head[0], src, 16);
    __builtin_memcpy(&head[1], src + 16, 16);
    __builtin_memcpy(&tail[0], src + bytes - 32, 16);
    __builtin_memcpy(&tail[1], src + bytes - 16, 16);
    __builtin_memcpy(dst, &head[0], 16);
    __builtin_memcpy(dst + 16, &head[1], 16);
    __builtin_memcpy(dst + bytes - 32, &tail[0], 16);
    __builtin_memcpy(dst + bytes - 16, &tail[1], 16);
}

/* ---- 1, 2, 4 and 8 bytes are written by one store: a process that polls an element may overwrite
 * it as soon as it changes, and a second store would undo that ---- */

/* 0..7 bytes */
static inline void armcii_copy_few(char *dst, const char *src, size_t bytes)
{
    if (bytes == 4) {
        uint32_t word;
        __builtin_memcpy(&word, src, 4);
        __builtin_memcpy(dst, &word, 4);
    } else if (bytes > 4) {
        armcii_copy_ends4(dst, src, bytes);
    } else if (bytes > 1) {
        uint16_t half;
        char last = src[bytes - 1];
        __builtin_memcpy(&half, src, 2);
        __builtin_memcpy(dst, &half, 2);
        if (bytes == 3) dst[2] = last;
    } else if (bytes == 1) {
        dst[0] = src[0];
    }
}

/* memmove; 0 to 64 bytes without a call, longer ones by `copy_long`. 8 bytes are tested first
 * because they are most frequent. */
static inline __attribute__((always_inline)) void
armcii_copy_by(void (*copy_long)(void *, const void *, size_t), void *dst, const void *src,
               size_t bytes)
{
    if (bytes == 8) {
        uint64_t word;
        __builtin_memcpy(&word, src, 8);
        __builtin_memcpy(dst, &word, 8);
    } else if (bytes > 64) {
        copy_long(dst, src, bytes);
    } else if (bytes > 32) {
        armcii_copy_ends32(dst, src, bytes);
    } else if (bytes > 16) {
        armcii_copy_ends16(dst, src, bytes);
    } else if (bytes == 16) {
        block16 block;
        __builtin_memcpy(&block, src, 16);
        __builtin_memcpy(dst, &block, 16);
    } else if (bytes > 8) {
        armcii_copy_ends8(dst, src, bytes);
    } else {
        armcii_copy_few(dst, src, bytes);
    }
}

/* memmove, and the same for gets. */
static inline void armcii_copy(void *dst, const void *src, size_t bytes)
{
    armcii_copy_by(armcii_copy_long, dst, src, bytes);
}

static inline void armcii_load(void *dst, const void *src, size_t bytes)
{
    armcii_copy_by(armcii_load_long, dst, src, bytes);
}

#endif
