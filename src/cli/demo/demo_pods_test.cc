#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/demo/demo.h"
#include "cli/demo/demo_test_snapshots.h"
#include "codec/documents/documents.h"
#include "core/config/read_config.h"
#include "core/pods/pod_kind.h"

namespace jettison {
namespace {

using demo_test::FactsOf;
using demo_test::Paths;
using ::testing::IsEmpty;

TEST(DemoManifests, TheCastCoversEveryClass) {
  EXPECT_EQ(QosClassOf(FactsOf("database").pod), QosClass::kGuaranteed);
  EXPECT_EQ(QosClassOf(FactsOf("web").pod), QosClass::kBurstable);
  EXPECT_EQ(QosClassOf(FactsOf("cache").pod), QosClass::kBurstable);
  EXPECT_EQ(QosClassOf(FactsOf("leaker").pod), QosClass::kBestEffort);
  EXPECT_TRUE(FactsOf("critical").IsProtected());
  EXPECT_FALSE(FactsOf("leaker").IsProtected());
  EXPECT_TRUE(FactsOf("scratch").has_storage_limits);
}

TEST(DemoConfig, IsReadWithoutFaultOrWarning) {
  const auto documents = ParseDocuments(DemoConfigText(Paths(), 32000));
  ASSERT_TRUE(documents) << documents.error().message;
  std::vector<ConfigDocument> named;
  for (const Value& document : *documents) named.push_back({"demo.yaml", document});
  const ConfigReading reading = ReadConfig(named);
  EXPECT_THAT(reading.faults, IsEmpty());
  EXPECT_THAT(reading.warnings, IsEmpty());
  EXPECT_EQ(reading.config.node_cgroup, "/jettison-demo-77");
  EXPECT_EQ(reading.config.root, "/tmp/jettison-demo-x1y2z3/node");
  EXPECT_EQ(reading.config.eviction.thresholds.size(), 3U);
}

}  // namespace
}  // namespace jettison
