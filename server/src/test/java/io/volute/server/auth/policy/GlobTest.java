package io.volute.server.auth.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Patterns match what they should, in a bounded number of steps. */
class GlobTest {
    private static final long SEED = 20_261_122;

    private static Glob glob(String pattern) {
        return Template.of(pattern, true, false).alone().orElseThrow();
    }

    private static boolean matches(String pattern, String text, long steps) {
        MatchingBudget budget = new MatchingBudget(steps);
        return glob(pattern).matches(Glob.points(text, budget), budget);
    }

    /** Few letters, so that runs overlap with themselves; long runs take the table. */
    @Test
    void matchesAsTheDefinitionDoes() {
        Random random = new Random(SEED);
        int matched = 0;
        for (int i = 0; i < 100_000; i++) {
            String pattern = word(random, "aab*?", 1 + random.nextInt(30));
            String text =
                    random.nextBoolean()
                            ? word(random, "ab", random.nextInt(40))
                            : filled(random, pattern);
            boolean expected = isMatch(pattern, text);
            assertThat(matches(pattern, text, Long.MAX_VALUE))
                    .as("%s in %s", pattern, text)
                    .isEqualTo(expected);
            matched += expected ? 1 : 0;
        }
        assertThat(matched).isBetween(20_000, 80_000);
    }

    /** Every beginning of the pattern against every beginning of the text. */
    private static boolean isMatch(String pattern, String text) {
        boolean[] reached = new boolean[text.length() + 1];
        reached[0] = true;
        for (char each : pattern.toCharArray()) {
            boolean[] next = new boolean[text.length() + 1];
            for (int i = 0; i <= text.length(); i++) {
                boolean isTaken =
                        i > 0 && reached[i - 1] && (each == '?' || each == text.charAt(i - 1));
                next[i] = each == '*' ? reached[i] || (i > 0 && next[i - 1]) : isTaken;
            }
            reached = next;
        }
        return reached[text.length()];
    }

    private static String word(Random random, String letters, int length) {
        StringBuilder word = new StringBuilder();
        for (int i = 0; i < length; i++) {
            word.append(letters.charAt(random.nextInt(letters.length())));
        }
        return word.toString();
    }

    /** A text that the pattern matches, but for a letter now and then. */
    private static String filled(Random random, String pattern) {
        StringBuilder text = new StringBuilder();
        for (char c : pattern.toCharArray()) {
            switch (c) {
                case '*' -> text.append(word(random, "ab", random.nextInt(4)));
                case '?' -> text.append(word(random, "ab", 1));
                default -> text.append(random.nextInt(60) == 0 ? 'b' : c);
            }
        }
        return text.toString();
    }

    @Test
    void longRunsTakeStepsInProportionToPatternAndText() {
        String text = "a".repeat(4096);
        String run = "*" + "a".repeat(2000) + "b*";
        long linear = 10L * (text.length() + run.length());
        assertThat(matches(run, text, linear)).isFalse();
        assertThat(matches(run + "c", text, linear)).isFalse();
        assertThat(matches("*a".repeat(1000) + "b", text, linear)).isFalse();
        assertThat(matches("*".repeat(4096) + "b", text, linear)).isFalse();
        assertThat(matches("*aab".repeat(500), "aaab".repeat(1000), linear)).isTrue();
    }

    @Test
    void whatTakesMoreStepsThanThereAreIsNotMatched() {
        String run = "*?" + "a".repeat(2000) + "b*";
        assertThatThrownBy(() -> matches(run, "a".repeat(4096), 100_000))
                .isInstanceOf(MatchingBudget.SpentException.class);
    }

    @Test
    void aBeginningIsMatchedWhenSomethingBehindItMayBe() {
        assertThat(glob("arn:*:b/x").canBeginWith("arn:aws:s3:::b/")).isTrue();
        assertThat(glob("arn:aws:s3:::b/x").canBeginWith("arn:aws:s3:::b/")).isTrue();
        assertThat(glob("arn:aws:s3:::?/").canBeginWith("arn:aws:s3:::b/")).isTrue();
        assertThat(glob("arn:aws:s3:::b").canBeginWith("arn:aws:s3:::b/")).isFalse();
        assertThat(glob("arn:aws:s3:::c*").canBeginWith("arn:aws:s3:::b/")).isFalse();
        assertThat(glob("*".repeat(20_000)).canBeginWith("arn:aws:s3:::b/")).isTrue();
    }
}
