#include <gtest/gtest.h>

#include <string>

#include "codec/kubernetes/manifest.h"

namespace jettison::kube_json {
namespace {

TEST(Names, OfLabelsAreShortAndLowerCase) {
  for (const std::string& name : {std::string("a"), std::string("a-1"), std::string(63, 'a')}) {
    EXPECT_TRUE(IsDnsLabel(name)) << name;
  }
  for (const std::string& name :
       {std::string(), std::string("-a"), std::string("a-"), std::string("A"), std::string("a.b"),
        std::string("a/b"), std::string("a\0", 2), std::string(64, 'a')}) {
    EXPECT_FALSE(IsDnsLabel(name)) << name;
  }
}

TEST(Names, OfSubdomainsAreLabelsJoinedByDots) {
  EXPECT_TRUE(IsDnsSubdomain("a.b-1.c"));
  EXPECT_TRUE(IsDnsSubdomain(std::string(253, 'a')));
  for (const std::string& name : {std::string("a..b"), std::string(".a"), std::string("a."),
                                  std::string(".."), std::string(254, 'a')}) {
    EXPECT_FALSE(IsDnsSubdomain(name)) << name;
  }
}

TEST(Names, OfUidsCannotLeaveAFolder) {
  EXPECT_TRUE(IsUid("6720A8a8_b3a9-64.3"));
  for (const std::string& uid : {std::string(), std::string(".."), std::string("a/b"),
                                 std::string("-a"), std::string(129, 'a')}) {
    EXPECT_FALSE(IsUid(uid)) << uid;
  }
}

}  // namespace
}  // namespace jettison::kube_json
