package io.volute.admin;

import io.volute.server.json.Json;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * A list as one JSON document, printed as it arrives. Nothing is printed before the first page, so
 * that a refusal stands alone.
 */
final class JsonList {
    private final PrintWriter out;
    private String before;

    /**
     * @param name of the list
     */
    JsonList(String name, PrintWriter out) {
        this.out = out;
        this.before = "{\"" + name + "\":[";
    }

    void print(List<Map<String, Object>> entries) {
        for (Map<String, Object> entry : entries) {
            out.print(before);
            out.print(new String(Json.write(entry), StandardCharsets.UTF_8));
            before = ",";
        }
        out.flush();
    }

    void end(boolean isMore) {
        if (!before.equals(",")) {
            out.print(before);
        }
        out.println("],\"more\":" + isMore + "}");
        out.flush();
    }
}
