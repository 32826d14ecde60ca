#include "cli/ask/config_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kernel/files/temporary_folder.h"

namespace jettison {
namespace {

class ConfigFiles : public testing::Test {
 protected:
  [[nodiscard]] std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(base_ / name) << text;
    return base_ / name;
  }
  const pod_host::TemporaryFolder folder_;
  const std::filesystem::path base_ = folder_.path();
};

constexpr const char* kAgent =
    "apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\nnodeName: edge-1\n";

TEST_F(ConfigFiles, NoFileIsTheDefaults) {
  EXPECT_TRUE(ReadConfigFiles({}).faults.empty());
}

TEST_F(ConfigFiles, AFileIsRead) {
  const ConfigReading reading = ReadConfigFiles({Write("agent.yaml", kAgent)});
  EXPECT_TRUE(reading.faults.empty());
  EXPECT_EQ(reading.config.node_name, "edge-1");
}

TEST_F(ConfigFiles, AMissingAndAMalformedFileAreFaultsAndTheOthersAreRead) {
  const std::string missing = base_ / "missing.yaml";
  const std::string malformed = Write("malformed.yaml", "a: [1,\n");
  const ConfigReading reading = ReadConfigFiles({missing, malformed, Write("agent.yaml", kAgent)});
  ASSERT_EQ(reading.faults.size(), 2U);
  EXPECT_EQ(reading.faults[0].file, missing);
  EXPECT_EQ(reading.faults[1].file, malformed);
  EXPECT_EQ(reading.config.node_name, "edge-1");
}

}  // namespace
}  // namespace jettison
