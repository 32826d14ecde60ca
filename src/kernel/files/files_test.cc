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

}  // namespace
}  // namespace jettison::kernel
