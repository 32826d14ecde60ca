#include "cli/ask/config_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "kernel/files/testing/temporary_folder.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

class ConfigFiles : public testing::Test {
 protected:
  [[nodiscard]] std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(base_ / name) << text;
    return base_ / name;
  }
  const kernel::TemporaryFolder folder_;
  const std::filesystem::path base_ = folder_.path();
};

constexpr const char* kAgent =
    "apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\nnodeName: edge-1\n";

TEST_F(ConfigFiles, AMissingAndAMalformedFileAreFaultsAndTheOthersAreRead) {
  const std::string missing = base_ / "missing.yaml";
  const std::string malformed = Write("malformed.yaml", "a: [1,\n");
  const ConfigReading reading =
      ReadConfigFiles({{missing, malformed, Write("agent.yaml", kAgent)}});
  ASSERT_EQ(reading.faults.size(), 2U);
  EXPECT_EQ(reading.faults[0].file, missing);
  EXPECT_EQ(reading.faults[1].file, malformed);
  EXPECT_EQ(reading.config.node_name, "edge-1");
}

TEST_F(ConfigFiles, AFileWithoutADocumentIsAFaultFromTheStart) {
  for (const char* text : {"", "\n", "# nothing but a comment\n", "---\n"}) {
    const std::string empty = Write("empty.yaml", text);
    ConfigRereader rereader({.files = {Write("agent.yaml", kAgent), empty}});
    EXPECT_EQ(DescribeAll(rereader.ReadFirst().faults), empty + ": the file is empty") << text;
    EXPECT_EQ(DescribeAll(ReadConfigFiles({{empty}}).faults), empty + ": the file is empty");
  }
}

class DropInFolder : public ConfigFiles {
 protected:
  [[nodiscard]] static std::string Dry(bool dry) {
    return std::string("apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\ndryRun: ") +
           (dry ? "true\n" : "false\n");
  }
  void Put(const std::string& name, const std::string& text) const {
    fs::create_directories(base_ / "conf.d");
    std::ofstream(base_ / "conf.d" / name) << text;
  }
  [[nodiscard]] std::string Path(const std::string& name) const { return base_ / "conf.d" / name; }
  [[nodiscard]] std::string Folder() const { return base_ / "conf.d"; }

  const ConfigSources sources_ = {.files = {Write("agent.yaml", kAgent)}, .drop_ins = Folder()};
  ConfigRereader rereader_{sources_};
};

TEST_F(DropInFolder, IsReadInTheOrderOfTheNames) {
  Put("9.yaml", Dry(false));
  Put("10.yaml", Dry(true));
  const ConfigReading reading = ReadConfigFiles(sources_);
  EXPECT_EQ(DescribeAll(reading.faults), "");
  EXPECT_FALSE(reading.config.dry_run);
  EXPECT_EQ(reading.config.node_name, "edge-1");
  ASSERT_EQ(reading.drop_ins.size(), 2U);
  EXPECT_EQ(reading.drop_ins[0].file, Path("10.yaml"));
}

TEST_F(DropInFolder, OtherNamesAreNotRead) {
  for (const char* name : {".hidden.yaml", "a.yaml.dpkg-old", "README", "b.yaml~"}) {
    Put(name, Dry(true));
  }
  EXPECT_TRUE(ReadConfigFiles(sources_).drop_ins.empty());
  for (const char* name : {"a.yml", "b.json", "c.conf", "d.yaml"}) Put(name, Dry(true));
  EXPECT_EQ(ReadConfigFiles(sources_).drop_ins.size(), 4U);
}

TEST_F(DropInFolder, ThatIsNotThereIsAWarning) {
  const ConfigReading reading = ReadConfigFiles(sources_);
  EXPECT_TRUE(reading.faults.empty());
  EXPECT_EQ(DescribeAll(reading.warnings),
            Folder() + ": this folder does not exist, so no drop-in is read");
  EXPECT_TRUE(rereader_.ReadFirst().faults.empty());
  EXPECT_TRUE(rereader_.ReadAgain().faults.empty());
}

TEST_F(DropInFolder, WhatCannotBeReadInItIsAFaultEach) {
  Put("a.yaml", "a: [1,\n");
  fs::create_directory(Path("b.yaml"));
  fs::create_symlink("nowhere",
                     Path("c.yaml"));  // as a file that has gone since the folder was read
  ASSERT_EQ(mkfifo(Path("d.yaml").c_str(), 0600), 0);
  Put("e.yaml", Dry(true));
  const ConfigReading reading = ReadConfigFiles(sources_);
  ASSERT_EQ(reading.faults.size(), 4U);
  EXPECT_EQ(reading.faults[0].file, Path("a.yaml"));
  EXPECT_EQ(Describe(reading.faults[1]), Path("b.yaml") + ": is a folder, but must be a file");
  EXPECT_EQ(Describe(reading.faults[2]),
            Path("c.yaml") + ": cannot be read: No such file or directory");
  EXPECT_EQ(Describe(reading.faults[3]), Path("d.yaml") + ": must be a regular file");
  EXPECT_TRUE(reading.config.dry_run);
}

TEST_F(DropInFolder, AFileThatIsEmptyIsAFaultWhenItIsReadAgainAndOneOfCommentsIsNot) {
  Put("a.yaml", "# dryRun: true\n");
  EXPECT_TRUE(rereader_.ReadFirst().faults.empty());
  EXPECT_TRUE(rereader_.ReadAgain().faults.empty());
  Put("a.yaml", "");
  EXPECT_EQ(DescribeAll(rereader_.ReadAgain().faults), Path("a.yaml") + ": the file is empty");
}

}  // namespace
}  // namespace jettison
