#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <set>

#include "core/model/fault.h"
#include "core/model/pod.h"
#include "core/model/pressure.h"
#include "core/model/redaction.h"
#include "core/units/duration.h"

namespace jettison {
namespace {

TEST(Pod, AGracePeriodBeyondAllMeasureIsALongOne) {
  Pod pod;
  EXPECT_EQ(GraceSecondsOf(pod), 30);
  pod.termination_grace_period_seconds = std::numeric_limits<std::int64_t>::max();
  const Duration grace = std::chrono::seconds(GraceSecondsOf(pod));
  EXPECT_GT(grace, std::chrono::hours(24 * 365 * 99));
  EXPECT_GT(Instant(std::chrono::hours(24 * 365 * 60)) + grace + grace / 2, Instant{});
}

TEST(Fault, IsOneLineWhateverIsInIt) {
  EXPECT_EQ(Describe({.file = "a\nb", .key = "k\x1b[2J", .value = "v\n", .message = "must\nnot"}),
            "a b: k [2J: \"v \": must not");
}

TEST(Faults, BeyondAHundredTheyAreNotListed) {
  Faults faults;
  for (int i = 0; i < 100'000; ++i) {
    AddFault(faults, {.file = "f", .key = std::to_string(i), .value = "", .message = "wrong"});
  }
  ASSERT_EQ(faults.size(), kMostFaults + 1);
  EXPECT_EQ(faults[kMostFaults - 1].key, "99");
  EXPECT_EQ(Describe(faults.back()), "f: and more");
}

TEST(Faults, WhatTheyQuoteIsShortenedBetweenTwoCharacters) {
  Faults faults;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "\xe2\x82\xac";  // a character of three bytes
  AddFault(faults, {.file = "", .key = text, .value = text, .message = text});
  EXPECT_EQ(faults[0].value.size(), 255U + 3);
  EXPECT_TRUE(faults[0].value.ends_with("\xac..."));
  EXPECT_LE(faults[0].key.size() + faults[0].message.size(), 2400U);
}

TEST(Faults, TheyTellNoSecretOfAUrl) {
  Faults faults;
  AddFault(faults, {.file = "", .key = "url", .value = "ftp://me:pw@host/", .message = "wrong"});
  EXPECT_EQ(faults[0].value, "ftp://<redacted>@host/");
}

TEST(Faults, LinesAreListedLikeThem) {
  std::vector<std::string> lines;
  for (int i = 0; i < 1000; ++i) AddLine(lines, "line");
  ASSERT_EQ(lines.size(), kMostFaults + 1);
  EXPECT_EQ(lines.back(), "and more");
}

TEST(Redaction, AUrlLosesItsUserItsPasswordAndItsQuery) {
  const std::map<std::string, std::string> cases = {
      {"https://host/path", "https://host/path"},
      {"https://me:secret@host:80/path", "https://<redacted>@host:80/path"},
      {"https://token@host", "https://<redacted>@host"},
      {"https://me:a/b@c@host/path", "https://<redacted>@host/path"},
      {"https://host/path?token=secret", "https://host/path?<redacted>"},
      {"https://host?x=1#secret", "https://host?<redacted>"},
      {"https://host/#secret", "https://host/#<redacted>"},
      {"https://me:secret@host/?a=b@c", "https://<redacted>@host/?<redacted>"},
      {"me:secret@host/path?x", "<redacted>@host/path?<redacted>"},
      {"", ""},
  };
  for (const auto& [url, redacted] : cases) EXPECT_EQ(RedactedUrl(url), redacted) << url;
}

TEST(Redaction, UrlsWithinATextAreRedactedAndTheRestStays) {
  EXPECT_EQ(WithRedactedUrls("what? me@here"), "what? me@here");
  EXPECT_EQ(WithRedactedUrls("--to=postgres://me:pw@db/x?ssl=1 --keep 'http://a?b' me@c?d"),
            "--to=postgres://<redacted>@db/x?<redacted> --keep 'http://a?<redacted>' me@c?d");
  EXPECT_EQ(WithRedactedUrls("x://"), "x://");
}

TEST(Redaction, APodKeepsNoValueOfAVariable) {
  Pod pod;
  Container container;
  container.name = "main";
  container.command = {"/bin/curl", "https://me:secret@host/"};
  container.args = {"--data=$(PASSWORD)"};
  container.env = {{"PASSWORD", "secret"}, {"EMPTY", ""}};
  container.pre_stop = ExecAction{{"/bin/curl", "http://host/?secret"}};
  pod.containers = {container};
  pod.init_containers = {container};
  pod.annotations = {{"kubectl.kubernetes.io/last-applied-configuration", "secret"},
                     {"see", "https://host/?secret"},
                     {"note", "kept"}};
  const Pod redacted = RedactedPod(pod);
  for (const Container& each : {redacted.containers[0], redacted.init_containers[0]}) {
    EXPECT_EQ(each.command[1], "https://<redacted>@host/");
    EXPECT_EQ(each.args[0], "--data=$(PASSWORD)");
    EXPECT_EQ(each.env[0].name, "PASSWORD");
    EXPECT_EQ(each.env[0].value, kRedacted);
    EXPECT_EQ(each.env[1].value, "");
    EXPECT_EQ(each.pre_stop->command[1], "http://host/?<redacted>");
  }
  EXPECT_EQ(redacted.annotations.at("kubectl.kubernetes.io/last-applied-configuration"), kRedacted);
  EXPECT_EQ(redacted.annotations.at("see"), "https://host/?<redacted>");
  EXPECT_EQ(redacted.annotations.at("note"), "kept");
}

TEST(Signal, HasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const Signal signal : kAllSignals) {
    EXPECT_EQ(EnumeratorNamed<Signal>(NameOf(signal)), signal);
    EXPECT_TRUE(names.insert(NameOf(signal)).second) << NameOf(signal);
  }
}

TEST(PressureSignal, ItsNameSaysWhatItIsAbout) {
  for (std::size_t i = 0; i < kPressureSignalCount; ++i) {
    const Signal signal = kPressureSignals[i];
    const StallAverage stall = *RowOf(signal).stall;
    std::string name(NameOf(ResourceOf(signal)));
    name += stall.kind == StallKind::kFull ? ".pressure.full.avg" : ".pressure.some.avg";
    name += stall.window == std::chrono::seconds(10) ? "10" : "60";
    EXPECT_EQ(NameOf(signal), name);
    EXPECT_EQ(PressureIndexOf(signal), i);
  }
}

TEST(PressureSignal, SignalsAreDeclaredInTheOrderOfUrgency) {
  EXPECT_TRUE(std::ranges::is_sorted(kAllSignals));
  EXPECT_LT(Signal::kMemoryPressureSomeAvg60, Signal::kSwapAvailable);
  EXPECT_LT(Signal::kSwapAvailable, Signal::kNodeFsAvailable) << "memory before disks";
  EXPECT_GT(Signal::kIoPressureFullAvg10, Signal::kPidAvailable);
}

TEST(ShareText, HasTheDecimalsItNeeds) {
  EXPECT_EQ(ShareText(0), "0%");
  EXPECT_EQ(ShareText(5), "0.05%");
  EXPECT_EQ(ShareText(1230), "12.3%");
  EXPECT_EQ(ShareText(2000), "20%");
  EXPECT_EQ(ShareText(kWholeTime), "100%");
}

}  // namespace
}  // namespace jettison
