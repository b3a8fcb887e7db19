package io.volute.server.config;

import java.util.Collection;
import java.util.Comparator;

/** Finds what somebody probably meant. */
final class Nearest {
    private Nearest() {}

    /** Advice to go behind a message about an unknown name. */
    static String advice(String name, Collection<String> known) {
        String nearest =
                known.stream().min(Comparator.comparingInt(k -> distance(name, k))).orElse("");
        boolean sameEnding =
                nearest.endsWith(name.substring(name.lastIndexOf('.') + 1)) && !name.isEmpty();
        if (distance(name, nearest) <= Math.max(2, name.length() / 3) || sameEnding) {
            return "; did you mean " + nearest + "?";
        }
        return "; remove it, or see docs/configuration.md for what there is";
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
