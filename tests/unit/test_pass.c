/* test_pass.c - descriptors that one process passes to others, with strangers at the server. The
 * test forks the processes; MPI is not started. */
#define _GNU_SOURCE
#include "node/pass.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/backoff.h"
#include "unit.h"

/* EARLY: microseconds; the limit for silent processes is longer. */
enum { EARLY = 10000000, MEMBERS = 3, FILES = 2 };

static const char word[] = "the job's";

/* The host is the parent; its members are forked, and have its number where they say so. */
static struct pass_member members[MEMBERS];
static struct pass_server server;
static int files[FILES];

static int file_with(const char *text)
{
    int fd = memfd_create("test", MFD_CLOEXEC);
    ck_assert_int_eq(write(fd, text, strlen(text)), (int)strlen(text));
    return fd;
}

static void open_server(void)
{
    for (int i = 0; i < FILES; i++)
        files[i] = file_with(word);
    for (int i = 0; i < MEMBERS; i++)
        members[i] = armcii_pass_self();
    server = (struct pass_server){.members = members, .size = MEMBERS, .fds = files, .n = FILES};
    ck_assert(armcii_pass_open(&server));
    ck_assert_str_ne(server.credentials.name, "");
}

static int descriptors(void)
{
    int n = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder))
        n++;
    closedir(folder);
    return n;
}

/* In a child: 0 if it gets the descriptors, 1 if it gets nothing, 2 else. */
static _Noreturn void fetch(const struct pass_credentials *credentials, int rank)
{
    int fds[FILES] = {-1, -1}, before = descriptors(), wrong = 0;
    char text[sizeof word] = "";
    if (!armcii_pass_fetch(credentials, &members[0], rank, fds, FILES))
        _exit(descriptors() == before ? 1 : 2);
    for (int i = 0; i < FILES; i++)
        wrong |= pread(fds[i], text, strlen(word), 0) < 0 || strcmp(text, word) != 0;
    _exit(wrong ? 2 : 0);
}

/* A member in a child, which knows these credentials. It sets its own number before it calls. */
static pid_t fork_member(const struct pass_credentials *credentials, int rank, bool numbered)
{
    int numbers[2];
    ck_assert_int_eq(pipe(numbers), 0);
    pid_t child = fork();
    if (child == 0) {
        char go;
        close(server.listener);
        if (read(numbers[0], &go, 1) == 1) fetch(credentials, rank);
    }
    if (numbered && rank < MEMBERS) members[rank].process = child;
    ck_assert_int_eq(write(numbers[1], "", 1), 1);
    close(numbers[0]);
    close(numbers[1]);
    return child;
}

/* Serve until the child ends; its status. */
static int serve_until_end(pid_t child)
{
    int status;
    long begun = armcii_clock();
    while (waitpid(child, &status, WNOHANG) == 0) {
        armcii_pass_serve(&server, 1);
        if (armcii_clock() > begun + EARLY) kill(child, SIGKILL);
    }
    ck_assert_msg(WIFEXITED(status), "the member still waits after 10 s");
    return WEXITSTATUS(status);
}

static void check_member_is_served(void)
{
    ck_assert_int_eq(serve_until_end(fork_member(&server.credentials, 1, true)), 0);
}

/* A process that has seen the name, connected. */
static int connect_as_stranger(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path + 1, server.credentials.name, PASS_NAME);
    int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
    connect(s, (struct sockaddr *)&address,
            (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
                        strnlen(server.credentials.name, PASS_NAME)));
    return s;
}

TEST(every_member_gets_the_descriptors)
{
    open_server();
    for (int rank = 1; rank < MEMBERS; rank++)
        ck_assert_int_eq(serve_until_end(fork_member(&server.credentials, rank, true)), 0);
    armcii_pass_close(&server);
}

/* Secrets that differ in one bit, ranks that are none, and processes that are none of the job's. */
TEST(others_get_nothing)
{
    open_server();
    for (int bit = 0; bit < 8 * PASS_SECRET; bit += 17) {
        struct pass_credentials wrong = server.credentials;
        wrong.request[bit / 8] ^= (unsigned char)(1 << bit % 8);
        ck_assert_int_eq(serve_until_end(fork_member(&wrong, 1, true)), 1);
    }
    const int ranks[] = {-1, 0, MEMBERS, INT_MAX};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        ck_assert_int_eq(serve_until_end(fork_member(&server.credentials, ranks[i], false)), 1);
    ck_assert_int_eq(serve_until_end(fork_member(&server.credentials, 2, false)), 1);
    check_member_is_served();
    armcii_pass_close(&server);
}

/* Messages of other lengths, with the right secret or none. */
TEST(other_messages_get_nothing)
{
    char long_message[4096] = "";
    open_server();
    memcpy(long_message, server.credentials.request, PASS_SECRET);
    long_message[PASS_SECRET] = 1; /* rank */
    const size_t lengths[] = {0, 1, PASS_SECRET, PASS_SECRET + 5, sizeof long_message};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        char got;
        int s = connect_as_stranger();
        send(s, long_message, lengths[i], MSG_NOSIGNAL);
        armcii_pass_serve(&server, 1);
        ck_assert_int_le((int)recv(s, &got, 1, MSG_DONTWAIT), 0);
        close(s);
    }
    check_member_is_served();
    armcii_pass_close(&server);
}

TEST(silent_strangers_keep_nobody_waiting)
{
    enum { STRANGERS = 3 * PASS_CLIENTS };
    int before = descriptors();
    open_server();
    for (int i = 0; i < STRANGERS; i++) {
        connect_as_stranger();
        armcii_pass_serve(&server, 0);
    }
    check_member_is_served();
    armcii_pass_close(&server);
    ck_assert_int_eq(descriptors(), before + STRANGERS + FILES);
}

/* The host accepts nothing until the queue of its socket is full. */
TEST(a_queue_of_strangers_keeps_nobody_waiting)
{
    open_server();
    for (int i = 0; i < 2 * PASS_CLIENTS; i++)
        connect_as_stranger();
    check_member_is_served();
    armcii_pass_close(&server);
}

TEST(strangers_who_come_all_the_time)
{
    open_server();
    pid_t stranger = fork();
    for (int i = 0; stranger == 0; i++) {
        static int crowd[PASS_CLIENTS];
        if (crowd[i % PASS_CLIENTS] > 0) close(crowd[i % PASS_CLIENTS]);
        crowd[i % PASS_CLIENTS] = connect_as_stranger();
    }
    for (int i = 0; i < 20; i++)
        check_member_is_served();
    kill(stranger, SIGKILL);
    waitpid(stranger, NULL, 0);
    armcii_pass_close(&server);
}

/* Who has the name of the host, but not its secret, gives a file of his own. */
TEST(the_file_of_a_false_host_is_refused)
{
    struct pass_credentials wrong;
    open_server();
    wrong = server.credentials;
    wrong.answer[PASS_SECRET - 1] ^= 1;
    ck_assert_int_eq(serve_until_end(fork_member(&wrong, 1, true)), 1);
    members[0].process++; /* the name belongs to another process */
    ck_assert_int_eq(serve_until_end(fork_member(&server.credentials, 1, true)), 1);
    members[0].process--;
    check_member_is_served();
    armcii_pass_close(&server);
}

/* There another process may have the name. */
TEST(a_host_in_another_network_learns_no_secret)
{
    open_server();
    members[0].network++;
    ck_assert_int_eq(serve_until_end(fork_member(&server.credentials, 1, true)), 1);
    ck_assert_int_eq(server.waiting, 0);
    members[0].network = 0; /* unknown */
    check_member_is_served();
    armcii_pass_close(&server);
}

static void nothing(int signal)
{
    (void)signal;
}

/* Without SA_RESTART, in both processes: timers are not inherited. */
TEST(a_timer_of_the_program_interrupts_nothing)
{
    const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = nothing}, NULL);
    open_server();
    for (int i = 0; i < 50; i++) {
        pid_t child = fork();
        if (child == 0) {
            setitimer(ITIMER_REAL, &often, NULL);
            usleep(1000); /* the parent knows the number */
            fetch(&server.credentials, 1);
        }
        members[1].process = child;
        setitimer(ITIMER_REAL, &often, NULL);
        ck_assert_int_eq(serve_until_end(child), 0);
        setitimer(ITIMER_REAL, &never, NULL);
    }
    armcii_pass_close(&server);
}

/* The member learns at once that it gets nothing. */
TEST(a_host_without_descriptors)
{
    struct rlimit limit, tight;
    open_server();
    pid_t child = fork_member(&server.credentials, 1, true);
    usleep(10000);
    getrlimit(RLIMIT_NOFILE, &limit);
    tight = limit;
    tight.rlim_cur = (rlim_t)server.listener + 1;
    setrlimit(RLIMIT_NOFILE, &tight);
    ck_assert_int_eq(serve_until_end(child), 1);
    setrlimit(RLIMIT_NOFILE, &limit);
    armcii_pass_close(&server);
}

TEST(without_credentials)
{
    int fds[1];
    struct pass_member self = armcii_pass_self();
    ck_assert(!armcii_pass_fetch(&(struct pass_credentials){.name = ""}, &self, 1, fds, 1));
    ck_assert(!armcii_pass_fetch(&(struct pass_credentials){.name = "none"}, &self, 1, fds, 1));
}
