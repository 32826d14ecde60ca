#include "tests/live/scraped.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <sstream>

#include "http/client/client.h"
#include "tests/live/program.h"

namespace jettison {

std::string SampleOf(const std::string& prometheus, std::string_view query) {
  constexpr std::chrono::seconds kPatience(90);
  constexpr int kBetweenAsksMs = 100;
  const HttpTarget target{.endpoint = prometheus};
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  std::string last;
  do {
    const auto answer = HttpGet(target, "/api/v1/query?query=" + EncodedForUrl(query));
    last = answer ? answer->body : answer.error().message;
    const auto body = nlohmann::json::parse(last, nullptr, false);
    const nlohmann::json::json_pointer at("/data/result/0/value/1");
    if (!body.is_discarded() && body.contains(at)) return body.at(at).get<std::string>();
    ::poll(nullptr, 0, kBetweenAsksMs);
  } while (std::chrono::steady_clock::now() < deadline);
  return "nothing: " + last;
}

std::string OutputOf(const std::vector<std::string>& arguments) {
  Program program(arguments, {});
  EXPECT_EQ(program.Wait(), 0) << program.output();
  return program.output();
}

std::vector<nlohmann::json> ItemsOf(const std::string& recording, const std::string& name) {
  std::vector<nlohmann::json> items;
  std::istringstream lines(OutputOf({JETTISON_BINARY, "show", recording, "--output", "ndjson"}));
  for (std::string line; std::getline(lines, line);) {
    const auto item = nlohmann::json::parse(line, nullptr, false);
    if (item.is_object() && item.contains(name)) items.push_back(item.at(name));
  }
  return items;
}

std::uint64_t NumberIn(const nlohmann::json& value) {
  return std::stoull(value.get<std::string>());
}

}  // namespace jettison
