#include "cli/simulate/node_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/simulate/fleet_bed.h"
#include "cli/simulate/simulate.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class OneNodeTest : public FleetBed {
 protected:
  SimulationReport ReportOf(const std::string& name) { return RunOver({}, NodeAt(name)); }
};

TEST_F(OneNodeTest, OfARecordingOfTwoNodesTheFirstCountsAndTheOtherIsNamed) {
  const auto a = LifeOf("node-a", 3);
  const auto b = LifeOf("node-b", 4);
  Put("alone.jtr", BinaryOf(a));
  Put("mix.jtr", BinaryOf(a) + BinaryOf(b));
  Put("mix.ndjson", NdjsonOf(a) + NdjsonOf(b));
  const SimulationReport alone = ReportOf("alone.jtr");
  for (const std::string name : {"mix.jtr", "mix.ndjson"}) {
    const SimulationReport mix = ReportOf(name);
    EXPECT_EQ(mix.facts.node, "node-a");
    EXPECT_EQ(mix.facts.passes, alone.facts.passes) << name;
    EXPECT_EQ(mix.outcomes[0].evictions.size(), alone.outcomes[0].evictions.size()) << name;
    EXPECT_THAT(mix.Faults(), ElementsAre(HasSubstr("another node, node-b, and is left out")));
  }
}

TEST_F(OneNodeTest, EachOtherNodeIsNamedOnceHoweverOftenItComes) {
  const std::vector<RecordedItem> items = {RecordingAbout{.node = "a"}, RecordingAbout{.node = "b"},
                                           RecordingAbout{.node = "a"}, RecordingAbout{.node = "b"},
                                           RecordingAbout{.node = "c"}};
  class Listed final : public RecordingSource {
   public:
    explicit Listed(const std::vector<RecordedItem>& items) : items_(items) {}
    Result<std::optional<RecordedItem>> Next() override {
      if (next_ == items_.size()) return std::nullopt;
      return items_[next_++];
    }

   private:
    const std::vector<RecordedItem>& items_;
    std::size_t next_ = 0;
  };
  Listed source(items);
  OneNode own(source);
  std::vector<std::string> told;
  for (;;) {
    const auto item = own.Next();
    if (item && !*item) break;
    told.push_back(item ? std::get<RecordingAbout>(**item).node : item.error().message);
  }
  EXPECT_THAT(told,
              ElementsAre("a", HasSubstr("another node, b"), "a", HasSubstr("another node, c")));
}

}  // namespace
}  // namespace jettison
