// links: jettison_recordings jettison_sim
// Records of `jettison replay`: whatever bytes come, reading answers or refuses, and what was read
// can be replayed and written.

#include <string>

#include "codec/recordings/replay_writer.h"
#include "codec/recordings/scenario_reader.h"
#include "fuzz/fuzz.h"
#include "sim/replay.h"

void Fuzz(std::string_view text) {
  jettison::Scenario scenario;
  std::string out;
  const auto read = jettison::ReadScenario(text, scenario);
  if (!read) return;
  if (*read) {
    jettison::WriteReplay(**read, jettison::Replay(**read), out);
  } else {
    jettison::WriteReplay(scenario, jettison::Replay(scenario), out);
  }
}
