/* loaded.c - a program that knows neither MPI nor ARMCI, and loads the library for a time.
 *
 * loaded FILE: of the library. The library stays until the end of the process, whatever dlclose
 * asks, since MPI ends there. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int call(void *library, const char *name)
{
    int (*function)(void);
    *(void **)&function = dlsym(library, name);
    if (!function) printf("WRONG: there is no %s\n", name);
    return function ? function() : -1;
}

static void end_a_child(void)
{
    int status = -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) exit(0);
    while (waitpid(child, &status, 0) < 0)
        continue;
    if (status != 0) printf("WRONG: a child of fork ended with %#x\n", (unsigned)status);
}

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!library) {
        printf("WRONG: %s\n", argc > 1 ? dlerror() : "usage: loaded FILE");
        return 2;
    }
    for (int i = 0; i < 2; i++) {
        if (call(library, "ARMCI_Init") != 0) puts("WRONG: ARMCI_Init");
        end_a_child();
        if (call(library, "ARMCI_Finalize") != 0) puts("WRONG: ARMCI_Finalize");
        dlclose(library);
        end_a_child();
        library = dlopen(argv[1], RTLD_NOW);
    }
    dlclose(library);
    end_a_child();
    fputs("ends\n", stdout); /* one write where the standard output has no buffer */
    return 0;
}
