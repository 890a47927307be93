/* test_tags.c - the tags of answers: each in turn, but none that somebody keeps. */
#include "server/tags.h"
#include "server/wire.h"
#include "unit.h"

START_TEST(a_tag_comes_again_only_after_all_others)
{
    int first = armcii_tag();
    for (int i = 1; i < WIRE_TAGS; i++) {
        int tag = armcii_tag();
        ck_assert_int_ne(tag, first);
        ck_assert_int_ge(tag, WIRE_TAG_FIRST);
        ck_assert_int_lt(tag, WIRE_TAG_FIRST + WIRE_TAGS);
    }
    ck_assert_int_eq(armcii_tag(), first);
}
END_TEST

/* Two wait for mutexes while others ask and are answered. */
START_TEST(a_tag_that_is_kept_is_nobody_elses)
{
    struct kept_tag one, two;
    armcii_tag_keep(&one);
    armcii_tag_keep(&two);
    ck_assert_int_ne(one.tag, two.tag);
    for (int i = 0; i < 2 * WIRE_TAGS; i++) {
        int tag = armcii_tag();
        ck_assert_int_ne(tag, one.tag);
        ck_assert_int_ne(tag, two.tag);
    }
    armcii_tag_drop(&one);
    bool again = false;
    for (int i = 0; i < WIRE_TAGS; i++) {
        int tag = armcii_tag();
        again = again || tag == one.tag;
        ck_assert_int_ne(tag, two.tag);
    }
    ck_assert(again);
    armcii_tag_drop(&two);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {a_tag_comes_again_only_after_all_others, a_tag_that_is_kept_is_nobody_elses, NULL};
    return unit_run("tags", unit_case(tests));
}
