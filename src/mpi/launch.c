/* launch.c - what the launcher's environment says, and the MPI libraries in this process. */
#define _GNU_SOURCE
#include "mpi/launch.h"

#include <dlfcn.h>
#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/system.h"
#include "mpi/quirks.h"

/* ---- alone ---- */

/* -1: not set. */
static long number_of(const char *variable)
{
    const char *text = armcii_config_variable(variable);
    return text && *text ? strtol(text, NULL, 10) : -1;
}

/* True if the caller is the first of *processes processes that a launcher started together.
 * Launchers start each other, so the smallest number counts: one of them that started a single
 * process may be the one that MPI asks. SLURM_NTASKS says what a batch job may start,
 * SLURM_STEP_NUM_TASKS what srun did start; but not in the shell of an interactive step. */
static bool is_first_of(long *processes)
{
    static const char *const launchers[][2] = {
        {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, {"PMI_SIZE", "PMI_RANK"},
        {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},   {"PALS_NRANKS", "PALS_RANKID"},
        {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},         {"FLUX_JOB_SIZE", "FLUX_TASK_RANK"},
    };
    long rank = 0;
    *processes = LONG_MAX;
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        long n = number_of(launchers[i][0]);
        bool is_shell =
            strncmp(launchers[i][0], "SLURM", 5) == 0 && armcii_config_variable("SLURM_PTY_PORT");
        if (n < 1 || n >= *processes || is_shell) continue;
        *processes = n;
        rank = number_of(launchers[i][1]);
    }
    return *processes < LONG_MAX && rank <= 0;
}

long armcii_launch_alone(void)
{
    MPI_Comm parent;
    int size;
    long processes;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parent); /* MPI_Comm_spawn leaves variables of the parents */
    return size == 1 && parent == MPI_COMM_NULL && is_first_of(&processes) && processes > 1
               ? processes
               : 0;
}

int armcii_launch_pmi_descriptor(void)
{
    const char *pmi = armcii_config_variable("MPIR_CVAR_PMI_VERSION");
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!armcii_quirks->launcher_barrier || (pmi && strcmp(pmi, "1") != 0)) return -1;
    return number_of("MPI_LOCALNRANKS") >= 0 && number_of("PMI_SIZE") == size
               ? (int)number_of("PMI_FD")
               : -1;
}

/* ---- two libraries ---- */

/* Not in every C library's part that a static link names. */
#pragma weak dlopen
#pragma weak dlclose
#pragma weak dlsym
#pragma weak dladdr

/* The function of that name that this file itself defines, not one that it depends on. */
static void *own_function(void *object, const char *file, const char *name)
{
    Dl_info where;
    void *function = dlsym(object, name);
    return function && dladdr(function, &where) && strcmp(where.dli_fname, file) == 0 ? function
                                                                                      : NULL;
}

/* Tools define MPI_Init, too, and call PMPI_Init of a library. */
static bool is_library(void *object, const char *file)
{
    const char *name = strrchr(file, '/');
    if (!own_function(object, file, "MPI_Init")) return false;
    if (own_function(object, file, "PMPI_Init")) return true;
    return name && !dlsym(object, "PMPI_Init") &&
           (strncmp(name, "/libmpi.so", 10) == 0 || strncmp(name, "/libmpich.so", 12) == 0);
}

/* "": it does not say. */
static void ask_version(void *object, const char *file, char *version)
{
    int length;
    int (*ask)(char *text, int *text_length) = NULL;
    *(void **)&ask = own_function(object, file, "MPI_Get_library_version");
    version[0] = '\0';
    if (ask) ask(version, &length);
}

enum { VERSION = 8192 }; /* as long as that of any MPI library */

/* Translators of one ABI into another, and of one version, pass the question to the library below.
 */
static bool is_same(const char *one, const char *other)
{
    return *one && *other && (strstr(one, other) || strstr(other, one));
}

bool armcii_launch_two_libraries(const char *files[2])
{
    enum { MOST = 16 };
    const char *paths[MOST];
    char version[2][VERSION];
    int n = armcii_objects_with("mpi", paths, MOST), found = 0;
    for (int i = 0; i < n && found < 2 && dlopen && dlclose && dlsym && dladdr; i++) {
        void *object = dlopen(paths[i], RTLD_LAZY | RTLD_NOLOAD);
        if (!object) continue;
        if (is_library(object, paths[i])) {
            ask_version(object, paths[i], version[found]);
            files[found] = paths[i];
            found += found == 0 || !is_same(version[0], version[1]);
        }
        dlclose(object);
    }
    return found == 2;
}

/* ---- the ABI ---- */

/* Not in MPI libraries before MPI 5.0. */
int MPI_Abi_get_version(int *major, int *minor) __attribute__((weak));

const char *armcii_launch_other_abi(void)
{
#ifdef MPI_ABI_VERSION
    enum { COMPILED_FOR = MPI_ABI_VERSION };
#else
    enum { COMPILED_FOR = -1 }; /* as the function says it of an ABI of a library's own */
#endif
    int major = -1, minor;
    Dl_info where;
    if (MPI_Abi_get_version) MPI_Abi_get_version(&major, &minor);
    if (major == COMPILED_FOR) return NULL;
    return dladdr && dladdr((void *)(uintptr_t)MPI_Init, &where) ? where.dli_fname : "";
}
