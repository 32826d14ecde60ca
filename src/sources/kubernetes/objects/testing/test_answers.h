#pragma once

#include <fstream>
#include <sstream>
#include <string>

namespace jettison::kube {

// An answer of an API server that the tests keep in tests/testdata/kubernetes.
inline std::string RecordedAnswer(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(std::string(JETTISON_TESTDATA) + "/kubernetes/" + name).rdbuf();
  std::string answer = text.str();
  if (answer.ends_with('\n')) answer.pop_back();
  return answer;
}

}  // namespace jettison::kube
