package io.volute.server.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the word that is nearest to a misspelt one. */
final class SpellingAdvice {
    private SpellingAdvice() {}

    /** Advice to go behind a message about an unknown name. */
    static String advice(String name, Collection<String> known) {
        Optional<String> partly =
                known.stream()
                        .filter(k -> name.length() > 2 && (k.startsWith(name) || k.endsWith(name)))
                        .findFirst();
        String nearest =
                partly.orElseGet(
                        () ->
                                known.stream()
                                        .min(Comparator.comparingInt(k -> distance(name, k)))
                                        .orElse(""));
        if (partly.isPresent() || distance(name, nearest) <= Math.max(2, name.length() / 3)) {
            return "; did you mean " + nearest + "?";
        }
        return "; remove it, or see docs/reference/settings.md for all settings";
    }

    /** Edits (insert, delete, replace) from one to the other. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replace = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replace, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
