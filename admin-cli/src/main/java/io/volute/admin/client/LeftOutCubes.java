package io.volute.admin.client;

import io.volute.admin.output.AnswerFormat;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Collects the names of the cubes that the pages of a list leave out. */
public final class LeftOutCubes implements Pages.Source {
    private final Pages.Source source;
    private final Set<String> names = new TreeSet<>();

    public LeftOutCubes(Pages.Source source) {
        this.source = source;
    }

    @Override
    public Map<String, Object> ask(Map<String, Object> page)
            throws IOException, InterruptedException {
        Map<String, Object> answer = source.ask(page);
        if (answer.get("notOpen") instanceof List<?> some) {
            some.forEach(name -> names.add(String.valueOf(name)));
        }
        return answer;
    }

    /** Prints a line if there are some: the list is not the whole. */
    public void print(PrintWriter err) {
        if (!names.isEmpty()) {
            err.println(
                    "volute: cubes that are not open are left out: "
                            + AnswerFormat.visible(String.join(", ", names)));
            err.flush();
        }
    }
}
