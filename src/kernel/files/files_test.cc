#include "kernel/files/files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kernel/files/temporary_folder.h"

namespace jettison::kernel {
namespace {

TEST(Files, WhatCannotBeLookedAtIsNotCalledMissing) {
  const TemporaryFolder folder;
  const std::string loop = folder.path() + "/loop";
  std::filesystem::create_symlink("loop", loop);
  EXPECT_TRUE(Exists(loop + "/file"));
  EXPECT_TRUE(Exists(folder.path()));
  EXPECT_FALSE(Exists(folder.path() + "/none"));
  std::ofstream(folder.path() + "/file") << "1";
  EXPECT_FALSE(Exists(folder.path() + "/file/below"));
}

TEST(Files, AnInputIsReadThroughALinkAndWhyItCannotBeIsSaid) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/file") << "text";
  std::filesystem::create_symlink("file", folder.path() + "/link");
  EXPECT_EQ(*ReadInput(folder.path() + "/link", 4), "text");
  EXPECT_EQ(ReadInput(folder.path(), 4).error().message, "Is a directory");
  EXPECT_EQ(ReadInput("/proc/self/mem", 4).error().message, "Input/output error");
  const auto missing = ReadInput(folder.path() + "/none", 4);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().message, "No such file or directory");
}

TEST(Files, AnInputWithoutAnEndIsRefused) {
  EXPECT_EQ(ReadInput("/dev/zero", std::size_t{1} << 20).error().message,
            "there is more of it than 1 MiB");
  EXPECT_EQ(ReadInput("/dev/zero", std::size_t{64} << 10).error().message,
            "there is more of it than 64 KiB");
}

}  // namespace
}  // namespace jettison::kernel
