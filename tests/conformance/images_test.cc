// Every recorded image collection, through the same reading and writing as `jettison replay`.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "codec/recordings/replay_writer.h"
#include "codec/recordings/scenario_reader.h"
#include "sim/replay.h"

namespace jettison {
namespace {

using nlohmann::json;

json ReplayedImageGc(const std::string& record) {
  Scenario unused;
  const auto read = ReadScenario("{\"imageGC\": " + record + "}", unused);
  if (!read || !*read) {
    ADD_FAILURE() << (read ? "read as a scenario" : read.error().message);
    return {};
  }
  std::string out;
  WriteReplay(**read, Replay(**read), out);
  return json::parse(out);
}

TEST(Conformance, EveryImageCollectionEndsAsTheKubelets) {
  std::ifstream vectors(JETTISON_VECTORS "/images.ndjson");
  std::size_t records = 0;
  for (std::string line; std::getline(vectors, line); ++records) {
    const json recorded = json::parse(line);
    const json replayed = ReplayedImageGc(line);
    for (const char* field : {"name", "removed", "error"}) {
      EXPECT_EQ(replayed[field], recorded[field]) << line;
    }
    EXPECT_EQ(replayed.value("event", ""), recorded.value("event", "")) << line;
  }
  EXPECT_GE(records, 200U);
}

}  // namespace
}  // namespace jettison
