#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/pods/admission.h"

namespace jettison {
namespace {

using testing::IsEmpty;

constexpr Nanos kUnit = 1'000'000'000;

SharedAmounts MemoryAlone(std::int64_t bytes) {
  return {0, bytes * kUnit, 0};
}

Occupant Occupying(std::int64_t bytes, std::int32_t priority = 0) {
  return {.requests = MemoryAlone(bytes), .priority = priority};
}

Room FindRoom(const SharedAmounts& requests, std::int32_t priority,
              const std::vector<Occupant>& occupants,
              const std::optional<SharedAmounts>& allocatable) {
  return jettison::RoomFor(occupants, priority, requests, allocatable);
}

const std::optional<SharedAmounts> kHundred = SharedAmounts{2 * kUnit, 100 * kUnit, 100 * kUnit};

TEST(Room, IsFreeUpToTheLastByte) {
  const std::vector<Occupant> occupants = {Occupying(60)};
  EXPECT_TRUE(FindRoom(MemoryAlone(40), 0, occupants, kHundred).free);
  const Room room = FindRoom(MemoryAlone(41), 0, occupants, kHundred);
  EXPECT_FALSE(room.free);
  ASSERT_TRUE(room.shortage);
  EXPECT_EQ(room.shortage->Reason(), "OutOfmemory");
  EXPECT_EQ(room.shortage->Message(),
            "Node didn't have enough resource: memory, requested: 41, used: 60, capacity: 100");
}

TEST(Room, IsNotCountedForNothingNorWhereNobodyKnowsWhatThereIs) {
  EXPECT_TRUE(FindRoom({}, 0, std::vector{Occupying(200)}, kHundred).free);
  EXPECT_TRUE(FindRoom(MemoryAlone(1 << 30), 0, std::vector{Occupying(200)}, std::nullopt).free);
}

TEST(Room, EqualsDoNotGiveWay) {
  const Room room = FindRoom(MemoryAlone(50), 5, std::vector{Occupying(60, 5)}, kHundred);
  EXPECT_TRUE(room.shortage);
  EXPECT_THAT(room.give_way, IsEmpty());
}

TEST(Room, TheLowestPriorityGivesWayAndNoMoreThanNeedBe) {
  struct Row {
    std::vector<Occupant> occupants;
    std::int64_t asked;
    std::vector<std::size_t> give_way;
  };
  const std::vector<Occupant> four = {Occupying(30, 1), Occupying(30, 3), Occupying(30, 2),
                                      Occupying(0, 0)};
  for (const Row& row :
       {Row{four, 40, {0}}, Row{four, 50, {2, 0}}, Row{four, 100, {1, 2, 0}},
        Row{{Occupying(40), Occupying(40)}, 50, {1}},         // among equals the last one listed
        Row{{Occupying(10, 0), Occupying(80, 1)}, 50, {1}}})  // without it, the other may stay
  {
    EXPECT_EQ(FindRoom(MemoryAlone(row.asked), 9, row.occupants, kHundred).give_way, row.give_way)
        << row.asked;
  }
}

TEST(Room, ThoseThatAreEndingAreAwaitedBeforeAnybodyElseIsEnded) {
  std::vector<Occupant> occupants = {Occupying(50, 7), Occupying(50, 0)};
  occupants[0].ending = true;
  const Room room = FindRoom(MemoryAlone(50), 5, occupants, kHundred);
  EXPECT_TRUE(room.Awaited());
  EXPECT_THAT(room.give_way, IsEmpty());
}

TEST(Room, MadeForAnotherIsNotTaken) {
  std::vector<Occupant> occupants = {Occupying(60, 0)};
  occupants[0].stays = true;
  EXPECT_TRUE(FindRoom(MemoryAlone(50), 9, occupants, kHundred).shortage);
}

TEST(Room, EveryResourceCounts) {
  const SharedAmounts asked = {kUnit / 2, 0, 10 * kUnit};
  const std::vector<Occupant> occupants = {{.requests = {7 * kUnit / 4, 0, 0}}};
  const Room room = FindRoom(asked, 0, occupants, kHundred);
  ASSERT_TRUE(room.shortage);
  EXPECT_EQ(room.shortage->Message(),
            "Node didn't have enough resource: cpu, requested: 500, used: 1750, capacity: 2000");
  const std::vector<Occupant> writers = {{.requests = {0, 0, 91 * kUnit}}};
  EXPECT_EQ(FindRoom(asked, 0, writers, kHundred).shortage->Reason(), "OutOfephemeral-storage");
}

TEST(Room, RequestsAreThoseOfThePodOrOfItsContainersAndTheOverhead) {
  Pod pod;
  pod.containers.resize(2);
  for (Container& container : pod.containers) {
    container.resources.requests["memory"] = Quantity::Of(10);
    container.resources.requests["ephemeral-storage"] = Quantity::Of(5);
  }
  pod.overhead["memory"] = Quantity::Of(1);
  EXPECT_EQ(RequestsOf(pod), (SharedAmounts{0, 21 * kUnit, 10 * kUnit}));
  pod.resources.emplace().requests["memory"] = Quantity::Of(50);
  EXPECT_EQ(RequestsOf(pod), (SharedAmounts{0, 51 * kUnit, 10 * kUnit}))
      << "a resource that the pod does not name is the sum of its containers'";
}

}  // namespace
}  // namespace jettison
