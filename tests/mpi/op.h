/* op.h - one transfer of any kind in any form: so that each test loops over put, get, accumulate,
 * blocking and not. */
#ifndef TEST_OP_H
#define TEST_OP_H

#include "../../tools/lib/call.h"
#include "../../tools/lib/element.h"
#include "../../tools/lib/patch.h"
#include "harness.h"

enum op_kind { OP_PUT = CALL_PUT, OP_GET = CALL_GET, OP_ACC = CALL_ACC };
enum op_how { OP_BLOCKING, OP_HANDLE, OP_IMPLICIT };

struct op {
    enum op_kind kind;
    enum op_how how;
    int type; /* accumulate: ARMCI_Acc_e */
    union scale scale;
};

/* The first type to try, and the one after `type`: all of them on 1 or 2 ranks, every third on
 * more, others on 3 than on 4 (see effort). ELEMENT_TYPES or more: no further one. */
int element_first(void);
int element_next(int type);

/* "NbAccS"-like: the name of the call for messages; form is "", "S" or "V". */
const char *op_name(const struct op *op, const char *form);

/* Issue to proc and check the code returned.  `local` is written by a get, else read. OP_HANDLE
 * uses *hdl. */
void op_contiguous(const struct op *op, void *local, void *remote, size_t bytes, int proc,
                   armci_hdl_t *hdl);
/* The patch starts at its own offsets into the two rooms. */
void op_strided(const struct op *op, void *local_room, void *remote_room, const struct patch *p,
                int proc, armci_hdl_t *hdl);
/* iov as ARMCI takes it: for a get its sources are remote. */
void op_vector(const struct op *op, armci_giov_t *iov, int n, int proc, armci_hdl_t *hdl);

/* Both sides of a transfer, and the models of what they should hold (without one of the local side:
 * the local side itself). */
struct sides {
    void *local, *local_model, *remote, *remote_model;
    int target;
};
/* Issue the operation at these offsets, then apply it to the models: `bytes` bytes; a patch; n
 * segments of `bytes` bytes, which are complete on return. */
void op_bytes(const struct op *op, const struct sides *s, size_t from, size_t to, size_t bytes,
              armci_hdl_t *hdl);
void op_patch(const struct op *op, const struct sides *s, const struct patch *p, armci_hdl_t *hdl);
void op_segments(const struct op *op, const struct sides *s, int n, size_t bytes,
                 const size_t from[], const size_t to[], armci_hdl_t *hdl);

/* Wait for what was issued with this op's handle (or the implicit one); nothing for OP_BLOCKING. */
void op_wait(const struct op *op, armci_hdl_t *hdl);

/* The model: what the op does to `bytes` bytes of the target (put, acc) or the local buffer (get).
 */
void op_model(const struct op *op, void *local, void *remote, size_t bytes);

#endif
