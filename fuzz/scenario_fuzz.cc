// links: jettison_recordings jettison_sim
// Records of `jettison replay`: whatever bytes come, reading answers or refuses, and what was read
// can be replayed and written.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "codec/recordings/replay_writer.h"
#include "codec/recordings/scenario_reader.h"
#include "sim/replay.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static jettison::ScenarioReader reader;
  std::string record(reinterpret_cast<const char*>(data), size);
  record.resize(size + jettison::ScenarioReader::kPadding);
  jettison::Scenario scenario;
  std::string out;
  const auto read = reader.Read(std::string_view(record).substr(0, size), scenario);
  if (!read) return 0;
  if (*read) {
    jettison::WriteReplay(**read, jettison::Replay(**read), out);
  } else {
    jettison::WriteReplay(scenario, jettison::Replay(scenario), out);
  }
  return 0;
}
