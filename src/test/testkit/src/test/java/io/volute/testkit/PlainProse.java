package io.volute.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The writing rules that a pattern can find in documents, comments and help texts. */
final class PlainProse {
    private static final Pattern WORD = Pattern.compile("[A-Za-z][A-Za-z'-]*");
    private static final int SENTENCE_WORDS_MAX = 32;

    /** Openings that leave out the verb of a sentence. */
    private static final Pattern FRAGMENT =
            Pattern.compile(
                    "^(Of|As|What|Who|Whom|Whose|Where|Whether|That|So|Beside|Such|And|But|With"
                            + "|Without|Than|By|Not|How)\\b.*");

    /** The rule behind each pattern. */
    private static final Map<Pattern, String> WORDING =
            Map.of(
                    Pattern.compile(
                            "\\b(tells|told|telling|hears|heard|hearing|says|saying|is said"
                                    + "|was said|be said|is asked|was asked|be asked|asks for"
                                    + "|knows of)\\b"),
                    "verb of speech for data flow",
                    Pattern.compile("\\b(he|his|him|himself|she|hers)\\b"),
                    "gender of a person",
                    Pattern.compile(
                            "(^|[.:;(] )(Who|Whoever|Whatever|What) (has|have|is|are|was|were|does"
                                    + "|reads|writes|runs|holds|can|may|makes|goes|comes)\\b"),
                    "relative clause as a noun");

    private PlainProse() {}

    /** Returns whether a text begins like a part of a sentence. */
    static boolean isFragment(String text) {
        return FRAGMENT.matcher(text).matches();
    }

    /**
     * Returns the rules that a line breaks.
     *
     * @param words the line without code and links
     */
    static List<String> breaches(String words) {
        List<String> found = new ArrayList<>();
        WORDING.forEach(
                (pattern, rule) -> {
                    if (pattern.matcher(words).find()) {
                        found.add(rule);
                    }
                });
        for (String sentence : words.split("(?<=[.!?:;])\\s|\\|")) {
            long count = WORD.matcher(sentence).results().count();
            if (count > SENTENCE_WORDS_MAX) {
                found.add("sentence of " + count + " words");
            }
        }
        return found;
    }
}
