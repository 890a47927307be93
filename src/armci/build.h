/* build.h - checks the arguments of a transfer call and converts them to an operation of the engine. */
#ifndef ARMCII_BUILD_H
#define ARMCII_BUILD_H

#include "armci/entry.h"

#include "core/op.h"

/* The arguments of a transfer call, without the addresses. */
struct op_args {
    const char *caller;
    struct rma_verb verb;
    const void *scale;
    int proc;
};

static inline struct op_args armcii_put_to(const char *caller, int proc)
{
    return (struct op_args){caller, {RMA_PUT, ELEMENT_INT}, NULL, proc};
}
static inline struct op_args armcii_get_from(const char *caller, int proc)
{
    return (struct op_args){caller, {RMA_GET, ELEMENT_INT}, NULL, proc};
}
static inline struct op_args armcii_acc_to(const char *caller, int datatype, const void *scale, int proc)
{
    return (struct op_args){caller, {RMA_ACC, (enum element)datatype}, scale, proc};
}

/* 0 with *op filled, or an error code.  src and dst as in the public call. */
int armcii_build_contiguous(struct op_args r, void *src, void *dst, int bytes, struct op *op);
int armcii_build_strided(struct op_args r, void *src, const int src_stride[], void *dst, const int dst_stride[], const int count[],
                         int levels, struct op *op);

/* A vector operation refers to *memory until it is started. */
enum { VECTOR_RUNS_INLINE = 8 };
struct vector_memory {
    struct vector_run few[VECTOR_RUNS_INLINE];
    struct vector_run *runs;
};
int armcii_build_vector(struct op_args r, const armci_giov_t iov[], int iov_len, struct vector_memory *memory, struct op *op);
void armcii_vector_free(struct vector_memory *memory);

#endif
