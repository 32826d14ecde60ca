#include <gtest/gtest.h>

#include "kernel/processes/processes.h"

namespace jettison {
namespace {

TEST(MemoryGroupIn, IsThatOfTheControllerBeforeTheUnifiedOne) {
  struct Row {
    const char* text;
    const char* group;
  };
  const std::vector<Row> rows = {
      {"0::/unified\n12:pids,memory:/a b/c:d\n4:cpu:/x\n", "/a b/c:d"},
      {"4:cpu:/x\n0::/k8s.io/1", "/k8s.io/1"},
      {"3:name=memory:/x\n", ""},
      {"0::/x\njunk\n::\n", "/x"},
      {"4:cpu:/x\n", ""},
      {"memory", ""},
      {"", ""},
  };
  for (const Row& row : rows) EXPECT_EQ(MemoryGroupIn(row.text), row.group) << row.text;
}

TEST(UpperFolderOf, IsThatOfTheOverlayAtTheRoot) {
  const std::string overlay =
      "100 50 0:40 / / rw,relatime master:1 - overlay overlay "
      "rw,lowerdir=/l,upperdir=/snap/5/fs,workdir=/w\n";
  EXPECT_EQ(UpperFolderOf(overlay), "/snap/5/fs");
  EXPECT_EQ(UpperFolderOf("101 100 0:5 / /proc rw - proc proc rw\n" + overlay +
                          "102 100 0:6 / /dev rw - tmpfs tmpfs rw,upperdir=/no\n"),
            "/snap/5/fs");
  EXPECT_EQ(UpperFolderOf("1 2 0:4 / / rw - overlay overlay rw,upperdir=/a\\040b\\1x\n"),
            "/a b\\1x");
  EXPECT_EQ(UpperFolderOf(overlay + "103 100 0:7 / / rw - ext4 /dev/sda rw,upperdir=/no\n"), "")
      << "the last mount covers the others";
}

TEST(UpperFolderOf, IsEmptyWhereTheTextTellsNone) {
  for (const char* text : {"", "\n", "1 2 3", "1 2 0:4 / / rw - overlay overlay",
                           "1 2 0:4 / / rw - overlay overlay rw", "1 2 0:4 / / rw a b c d e f",
                           "1 2 0:4 / / rw - overlay overlay upperdir=relative",
                           "1 2 0:4 / / rw - overlay overlay upperdir"}) {
    EXPECT_EQ(UpperFolderOf(text), "") << text;
  }
}

TEST(IsGroupOfContainer, AnIdThatIsAPartOfAnotherIsNotEnough) {
  for (const char* name :
       {"web", "web.scope", "nerdctl-web.scope", "prefix:web", "a-b-web.scope"}) {
    EXPECT_TRUE(IsGroupOfContainer(name, "web")) << name;
  }
  for (const char* name :
       {"webserver", "web-server.scope", "myweb", "web2.scope", "cobweb.scope", "web.slice", ""}) {
    EXPECT_FALSE(IsGroupOfContainer(name, "web")) << name;
  }
  EXPECT_FALSE(IsGroupOfContainer("anything", ""));
}

TEST(IsGroupOfContainer, ThatOfConmonIsNone) {
  for (const char* name : {"crio-conmon-0a.scope", "crio-conmon-0a", "libpod-conmon-0a.scope"}) {
    EXPECT_FALSE(IsGroupOfContainer(name, "0a")) << name;
    EXPECT_TRUE(IsGroupOfConmon(name)) << name;
  }
  for (const char* name : {"crio-0a.scope", "crio-0a", "0a", "conmon.scope", ""}) {
    EXPECT_FALSE(IsGroupOfConmon(name)) << name;
  }
  EXPECT_TRUE(IsGroupOfContainer("conmon-web.scope", "conmon-web"));
}

TEST(StartOf, IsTheTwentySecondFieldWhateverTheProgramIsCalled) {
  const std::string rest = " S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20 21\n";
  EXPECT_EQ(StartOf("42 (sh)" + rest), 4711U);
  EXPECT_EQ(StartOf("42 (a) b) 1 2 (" + std::string(")") + rest), 4711U);
  for (const char* text : {"", "42", "42 (sh)", "42 (sh) S 1 2",
                           "42 (sh) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 x 1"}) {
    EXPECT_FALSE(StartOf(text)) << text;
  }
}

// The flags of a living program, and of one that ends (PF_EXITING).
TEST(IsEnding, IsABitOfTheNinthFieldAndTheParentTheFourth) {
  EXPECT_FALSE(IsEnding("42 (sh) S 1 2 3 4 5 4194304 7 8\n"));
  EXPECT_TRUE(IsEnding("42 (sh) Z 1 2 3 4 5 4227340 7 8\n"));
  EXPECT_EQ(ParentOf("42 (sh) S 17 2 3\n"), 17);
  EXPECT_EQ(ParentOf("42 (a) S 1) R 18 2 3\n"), 18);
  for (const char* text : {"", "42 (sh)", "42 (sh) S", "42 (sh) S x 2 3 4 5 x"}) {
    EXPECT_FALSE(IsEnding(text)) << text;
    EXPECT_EQ(ParentOf(text), 0) << text;
  }
}

TEST(IsPrepared, OnlyWhatRuncCallsSoIsNotStartedYet) {
  const std::string rest = " S 1 2 3\n";
  EXPECT_TRUE(IsPrepared("42 (runc:[2:INIT])" + rest));
  EXPECT_TRUE(IsPrepared("42 (runc:[1:CHILD])" + rest));
  for (const char* text : {"42 (runc) S 1", "42 (my runc:[2:INIT]) S 1", "42", ""}) {
    EXPECT_FALSE(IsPrepared(text)) << text;
  }
}

}  // namespace
}  // namespace jettison
