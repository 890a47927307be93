/* transfers.h - what the functions for put, get and accumulate of all shapes share. */
#ifndef ARMCII_TRANSFERS_H
#define ARMCII_TRANSFERS_H

#include "armci/entry.h"

/* The arguments of a transfer call, without the addresses. */
struct op_args {
    const char *caller;
    struct op_verb verb;
    const void *scale;
    int proc;
};

static inline struct op_args put_to(const char *caller, int proc)
{
    return (struct op_args){caller, {OP_PUT, ELEMENT_INT}, NULL, proc};
}

static inline struct op_args get_from(const char *caller, int proc)
{
    return (struct op_args){caller, {OP_GET, ELEMENT_INT}, NULL, proc};
}

static inline struct op_args acc_to(const char *caller, int datatype, const void *scale, int proc)
{
    return (struct op_args){caller, {OP_ACC, (enum element)datatype}, scale, proc};
}

/* Begin *op: 0, or the error code of an argument that calls of all shapes have. */
int armcii_transfer_begin(const struct op_args *r, struct op *op);
/* The length of a segment, a negative one too. */
int armcii_check_bytes(const struct op_args *r, const char *argument, int bytes);
/* `bytes` bytes at an address of this process. */
int armcii_check_local(const struct op_args *r, const char *argument, const void *local, int bytes);

/* In place of a handle, where NULL is the implicit handle. */
extern armci_hdl_t *const armcii_blocking;
int armcii_transfer_run(const struct op *op, armci_hdl_t *hdl);

#endif
