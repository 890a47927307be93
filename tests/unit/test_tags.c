/* test_tags.c - the tags of replies: each in turn, except those in use. */
#include "transport/am/outstanding.h"
#include "transport/am/proto.h"
#include "unit.h"

TEST(a_freed_tag_is_reused_after_all_others)
{
    int first = armcii_tag_alloc();
    armcii_tag_free(first);
    for (int i = 1; i < AM_TAGS; i++) {
        int tag = armcii_tag_alloc();
        armcii_tag_free(tag);
        ck_assert_int_ne(tag, first);
        ck_assert_int_ge(tag, AM_TAG_FIRST);
        ck_assert_int_lt(tag, AM_TAG_FIRST + AM_TAGS);
    }
    ck_assert_int_eq(armcii_tag_alloc(), first);
    armcii_tag_free(first);
}

/* One reply stays outstanding while 32,000 others complete. */
TEST(a_tag_in_use_is_not_allocated)
{
    int one = armcii_tag_alloc(), two = armcii_tag_alloc();
    ck_assert_int_ne(one, two);
    for (int i = 0; i < 2 * AM_TAGS; i++) {
        int tag = armcii_tag_alloc();
        ck_assert_int_ne(tag, one);
        ck_assert_int_ne(tag, two);
        armcii_tag_free(tag);
    }
    armcii_tag_free(one);
    bool again = false;
    for (int i = 0; i < AM_TAGS; i++) {
        int tag = armcii_tag_alloc();
        again = again || tag == one;
        ck_assert_int_ne(tag, two);
        armcii_tag_free(tag);
    }
    ck_assert(again);
    armcii_tag_free(two);
}

TEST(all_tags_may_be_in_use)
{
    for (int i = 0; i < AM_TAGS; i++)
        ck_assert_int_gt(armcii_tag_alloc(), 0);
    ck_assert_int_eq(armcii_tag_alloc(), 0);
    armcii_tag_free(AM_TAG_FIRST + 5);
    ck_assert_int_eq(armcii_tag_alloc(), AM_TAG_FIRST + 5);
    for (int i = 0; i < AM_TAGS; i++)
        armcii_tag_free(AM_TAG_FIRST + i);
}
