/* lead_calls.c: leads the calls of ARMCI inside a finished program to another library.
 *
 * Debian's nwchem has Global Arrays and ARMCI-MPI linked into it, without symbols. calls.inc, which
 * nwprogram.py makes for one program, says where in it each function of ARMCI begins. When that
 * program starts with this object in LD_PRELOAD, each of them becomes a jump to the function of the
 * library that this object is linked with; nothing of ARMCI-MPI runs any more. Other programs, such
 * as children, are left alone. */
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CALL(offset, name) extern void name(void);
#include "calls.inc"
#undef CALL

static const struct call {
    uintptr_t offset;
    void (*function)(void);
} calls[] = {
#define CALL(offset, name) {offset, name},
#include "calls.inc"
};

enum { JUMP_SIZE = 14 }; /* jmp *0(%rip), and the address behind it */

/* The first object that the loader names is the program. */
static int program_base(struct dl_phdr_info *info, size_t size, void *base)
{
    (void)size;
    *(uintptr_t *)base = info->dlpi_addr;
    return 1;
}

static void write_jump(unsigned char *at, void (*function)(void))
{
    static const unsigned char jump[6] = {0xff, 0x25};
    memcpy(at, jump, sizeof jump);
    memcpy(at + sizeof jump, &function, sizeof function);
}

/* The pages that a jump lies in. */
static void protect(unsigned char *at, int protection)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)at & ~(page - 1);
    if (mprotect((void *)first, (uintptr_t)at + JUMP_SIZE - first, protection) != 0) {
        perror("lead_calls: mprotect");
        abort();
    }
}

__attribute__((constructor)) static void lead_calls(void)
{
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0 || (program[length] = '\0', strcmp(program, PROGRAM) != 0)) return;
    uintptr_t base = 0;
    dl_iterate_phdr(program_base, &base);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        unsigned char *at = (unsigned char *)(base + calls[i].offset);
        protect(at, PROT_READ | PROT_WRITE | PROT_EXEC);
        write_jump(at, calls[i].function);
        protect(at, PROT_READ | PROT_EXEC);
    }
}
