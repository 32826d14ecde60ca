#include "kernel/files/whole_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <fstream>
#include <string>
#include <vector>

#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WholeFileTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string Path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  [[nodiscard]] std::vector<std::string> Names() const { return *kernel::NamesIn(folder_.path()); }
  kernel::TemporaryFolder folder_;
};

TEST_F(WholeFileTest, IsThereOnceItIsComplete) {
  WholeFile file(Path("a"));
  ASSERT_TRUE(file.Add("one "));
  ASSERT_TRUE(file.Add("two"));
  EXPECT_FALSE(kernel::Exists(Path("a")));
  ASSERT_TRUE(file.PutInPlace());
  EXPECT_EQ(*kernel::ReadFile(Path("a")), "one two");
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(WholeFileTest, LeavesWhatWasThereWhereItIsGivenUp) {
  ASSERT_TRUE(kernel::WriteFile(Path("a"), "old"));
  {
    WholeFile file(Path("a"));
    ASSERT_TRUE(file.Add("new"));
  }
  EXPECT_EQ(*kernel::ReadFile(Path("a")), "old");
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(WholeFileTest, RemovesWhatDeadOnesHaveLeftAndNothingElse) {
  const std::vector<std::string> others = {"a.backup", "a.jettison-locked", "a.jettison-toolong",
                                           "b.jettison-Xy12zQ"};
  std::ofstream(Path("a.jettison-Xy12zQ")) << "left";
  for (const std::string& name : others) std::ofstream(Path(name)) << name;
  const FileDescriptor held(::open(Path(others[1]).c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(::flock(held.get(), LOCK_EX), 0);
  WholeFile file(Path("a"));
  ASSERT_TRUE(file.PutInPlace());
  EXPECT_THAT(Names(), ElementsAre("a", others[0], others[1], others[2], others[3]));
}

TEST_F(WholeFileTest, SaysWhyItCannotBeWritten) {
  WholeFile file(Path("missing/a"));
  EXPECT_FALSE(file.Add("x"));
  ASSERT_TRUE(file.fault());
  EXPECT_THAT(file.fault()->message, HasSubstr("missing/a: No such file"));
  EXPECT_FALSE(file.PutInPlace());
}

}  // namespace
}  // namespace jettison
