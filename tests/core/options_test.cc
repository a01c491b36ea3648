#include "hinge/core/options.h"

#include <gtest/gtest.h>

#include "hinge/core/error.h"

namespace hinge {
namespace {

struct Settings {
  double C = 0.05;
  double rate = 0.5;
  std::int64_t epochs = 10;
  bool average = true;
  std::string loss = "l2";
  std::string note = "none";

  OptionTable table() {
    OptionTable t("mira");
    t.add("C", C, "largest step").above(0);
    t.add("rate", rate, "share of the data").at_least(0).at_most(1);
    t.add("epochs", epochs, "passes over the data").at_least(1).at_most(1000);
    t.add("average", average, "average the weights");
    t.add("loss", loss, "the loss").one_of({"l1", "l2"});
    t.add("note", note, "free text");
    return t;
  }
};

std::string message_of(OptionTable& table, std::string_view name, std::string_view value) {
  try {
    table.set(name, value);
  } catch (const OptionError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Options, SetTheFieldsTheyAreBoundTo) {
  Settings settings;
  OptionTable table = settings.table();
  table.set("C", "2.5");
  table.set("epochs", "7");
  table.set("average", "false");
  table.set("loss", "l1");
  table.set("note", "any text, even = and spaces");
  EXPECT_EQ(settings.C, 2.5);
  EXPECT_EQ(settings.epochs, 7);
  EXPECT_FALSE(settings.average);
  EXPECT_EQ(settings.loss, "l1");
  EXPECT_EQ(settings.note, "any text, even = and spaces");
  table.set("average", "true");
  EXPECT_TRUE(settings.average);
}

TEST(Options, UnderstandNumbersAsPeopleWriteThem) {
  Settings settings;
  OptionTable table = settings.table();
  table.set("C", "1e-3");
  EXPECT_EQ(settings.C, 1e-3);
  table.set("C", "3");
  EXPECT_EQ(settings.C, 3.0);
  table.set("C", ".5");
  EXPECT_EQ(settings.C, 0.5);
}

TEST(Options, ExcludeTheBoundOfAboveAndIncludeTheOthers) {
  Settings settings;
  OptionTable table = settings.table();
  EXPECT_THROW(table.set("C", "0"), OptionError);
  EXPECT_NO_THROW(table.set("C", "1e-300"));
  EXPECT_NO_THROW(table.set("rate", "0"));
  EXPECT_NO_THROW(table.set("rate", "1"));
  EXPECT_THROW(table.set("rate", "-0.001"), OptionError);
  EXPECT_THROW(table.set("rate", "1.001"), OptionError);
  EXPECT_NO_THROW(table.set("epochs", "1"));
  EXPECT_NO_THROW(table.set("epochs", "1000"));
  EXPECT_THROW(table.set("epochs", "0"), OptionError);
  EXPECT_THROW(table.set("epochs", "1001"), OptionError);
}

TEST(Options, RefuseWhatIsNoNumber) {
  Settings settings;
  OptionTable table = settings.table();
  for (const std::string_view text : {"", "abc", "1x", "1 2", "--1", "1,5", "nan", "0.5.5"}) {
    EXPECT_THROW(table.set("C", text), OptionError) << "C=" << text;
    EXPECT_THROW(table.set("rate", text), OptionError) << "rate=" << text;
  }
  for (const std::string_view text : {"", "abc", "2.5", "7x", "nan", "99999999999999999999"})
    EXPECT_THROW(table.set("epochs", text), OptionError) << "epochs=" << text;
  for (const std::string_view text : {"", "maybe", "2", "truee"})
    EXPECT_THROW(table.set("average", text), OptionError) << "average=" << text;
}

TEST(Options, LeaveTheFieldAloneWhereTheyRefuse) {
  Settings settings;
  OptionTable table = settings.table();
  for (const std::string_view name : {"C", "rate", "epochs", "average", "loss"})
    EXPECT_THROW(table.set(name, "-7.5x"), OptionError);
  EXPECT_THROW(table.set("C", "-1"), OptionError);
  EXPECT_THROW(table.set("epochs", "0"), OptionError);
  EXPECT_EQ(settings.C, 0.05);
  EXPECT_EQ(settings.rate, 0.5);
  EXPECT_EQ(settings.epochs, 10);
  EXPECT_TRUE(settings.average);
  EXPECT_EQ(settings.loss, "l2");
}

TEST(Options, SayInTheMessageWhoseOptionWhichValueAndWhatWasExpected) {
  Settings settings;
  OptionTable table = settings.table();
  const std::string message = message_of(table, "C", "-3");
  EXPECT_TRUE(contains(message, "mira")) << message;
  EXPECT_TRUE(contains(message, "C")) << message;
  EXPECT_TRUE(contains(message, "-3")) << message;
  EXPECT_TRUE(contains(message, "a number above 0")) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(Options, ListTheChoicesWhereAValueIsNoneOfThem) {
  Settings settings;
  OptionTable table = settings.table();
  const std::string message = message_of(table, "loss", "l3");
  EXPECT_TRUE(contains(message, "l3")) << message;
  EXPECT_TRUE(contains(message, "one of l1, l2")) << message;
}

TEST(Options, NameTheNearestWhereANameIsUnknown) {
  Settings settings;
  OptionTable table = settings.table();
  const std::string message = message_of(table, "epoch", "3");
  EXPECT_TRUE(contains(message, "mira")) << message;
  EXPECT_TRUE(contains(message, "'epoch'")) << message;
  EXPECT_TRUE(contains(message, "epochs")) << message;
  EXPECT_NE(message_of(table, "zzzzzzzzzzzz", "3"), "");
  EXPECT_FALSE(table.has("epoch"));
  EXPECT_TRUE(table.has("epochs"));
}

TEST(Options, KeepTheDefaultBesideTheValue) {
  Settings settings;
  OptionTable table = settings.table();
  table.set("C", "2");
  table.set("loss", "l1");
  const Option& C = table.options()[0];
  EXPECT_EQ(C.name(), "C");
  EXPECT_EQ(C.help(), "largest step");
  EXPECT_EQ(C.default_value(), "0.05");
  EXPECT_EQ(C.value(), "2");
  EXPECT_EQ(table.options()[4].default_value(), "l2");
  EXPECT_EQ(table.options()[4].value(), "l1");
}

TEST(Options, ReadBackEveryValueTheyWrite) {
  Settings written;
  OptionTable from = written.table();
  written.C = 0.1 + 0.2;  // needs all seventeen digits
  written.rate = 1.0 / 3.0;
  written.epochs = 999;
  written.average = false;
  written.loss = "l1";
  written.note = "";
  Settings read;
  OptionTable to = read.table();
  for (const Option& option : from.options()) to.set(option.name(), option.value());
  EXPECT_EQ(read.C, written.C);
  EXPECT_EQ(read.rate, written.rate);
  EXPECT_EQ(read.epochs, written.epochs);
  EXPECT_EQ(read.average, written.average);
  EXPECT_EQ(read.loss, written.loss);
  EXPECT_EQ(read.note, written.note);
}

TEST(Options, MayBeAbsentWhichIsAnEmptyText) {
  std::optional<double> gap;
  std::optional<std::int64_t> patience;
  OptionTable table("training", Spelling::kPlain);
  table.add("gap", gap, "when to stop").above(0);
  table.add("patience", patience, "epochs").unit("epochs").at_least(1);
  EXPECT_EQ(table.find("gap")->default_value(), "");
  EXPECT_TRUE(table.find("gap")->is_optional());
  table.set("gap", "0.25");
  table.set("patience", "3");
  EXPECT_EQ(gap, 0.25);
  EXPECT_EQ(patience, 3);
  EXPECT_EQ(table.find("gap")->value(), "0.25");
  EXPECT_EQ(message_of(table, "gap", "0"), "gap is '0' but must be a number above 0");
  EXPECT_EQ(message_of(table, "patience", "2.5"),
            "patience is '2.5' but must be a whole number of epochs of at least 1");
  EXPECT_EQ(gap, 0.25);
  table.set("gap", "");
  EXPECT_FALSE(gap);
}

TEST(Options, AreNamedAsTheirUsersGiveThem) {
  double stop_gap = 1.0;
  const auto message = [&stop_gap](Spelling spelling) {
    OptionTable table("dcd", spelling);
    table.add("stop_gap", stop_gap, "when to stop").above(0);
    const std::string text = message_of(table, "stop_gap", "-1");
    return text.substr(0, text.find(" is"));
  };
  EXPECT_EQ(message(Spelling::kOwned), "dcd: stop_gap");
  EXPECT_EQ(message(Spelling::kPlain), "stop_gap");
  EXPECT_EQ(message(Spelling::kFlag), "--stop-gap");
}

TEST(Options, AreReadFromRecordsUnderFormerNames) {
  std::string cost = "label";
  OptionTable table("dep");
  table.add("cost", cost, "what costs").one_of({"label", "head"}).formerly("loss");
  table.restore("loss", "head");
  EXPECT_EQ(cost, "head");
  table.restore("cost", "label");
  EXPECT_EQ(cost, "label");
  EXPECT_THROW(table.set("loss", "head"), OptionError);
  EXPECT_THROW(table.restore("losses", "head"), OptionError);
}

TEST(Options, HaveTheTraitsTheyWereGivenAndNoOthers) {
  std::string path;
  OptionTable table("x");
  const Option& option = table.add("path", path, "a file").with({Trait::kInput, Trait::kPython});
  EXPECT_TRUE(option.has(Trait::kInput));
  EXPECT_TRUE(option.has(Trait::kPython));
  EXPECT_FALSE(option.has(Trait::kOutput));
  EXPECT_FALSE(option.has(Trait::kResume));
}

TEST(Options, KeepWholeNumbersThatADoubleCannotHold) {
  std::int64_t seed = 0;
  OptionTable table("x");
  table.add("seed", seed, "of the shuffle");
  table.set("seed", "9007199254740993");  // 2^53 + 1
  EXPECT_EQ(seed, 9007199254740993);
  table.set("seed", "9223372036854775807");
  EXPECT_EQ(seed, INT64_MAX);
  table.set("seed", "-9223372036854775808");
  EXPECT_EQ(seed, INT64_MIN);
  EXPECT_THROW(table.set("seed", "9223372036854775808"), OptionError);
}

}  // namespace
}  // namespace hinge
