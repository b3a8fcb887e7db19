package io.volute.testkit.model;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Makes a failing list shorter: drops runs of halving length, then single elements. */
final class Reducer {
    private Reducer() {}

    /** A test that a list still fails. */
    public interface Check<T> {
        boolean fails(List<T> list) throws IOException;
    }

    /** A list that still fails and from which no single element can be dropped. */
    public static <T> List<T> reduce(List<T> failing, Check<T> check) throws IOException {
        List<T> left = failing;
        for (int run = Math.max(1, left.size() / 2); run >= 1; run /= 2) {
            boolean shrank = true;
            while (shrank) {
                shrank = false;
                int at = 0;
                while (at < left.size()) {
                    List<T> shorter = new ArrayList<>(left.subList(0, at));
                    shorter.addAll(left.subList(Math.min(at + run, left.size()), left.size()));
                    if (check.fails(shorter)) {
                        left = shorter;
                        shrank = true;
                    } else {
                        at += run;
                    }
                }
            }
        }
        return left;
    }
}
