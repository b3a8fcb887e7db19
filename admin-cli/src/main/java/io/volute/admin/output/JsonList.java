package io.volute.admin.output;

import io.volute.adminapi.AdminJson;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * A list as one JSON document, printed as it arrives. Nothing is printed before the first page, so
 * that a refusal stands alone.
 */
public final class JsonList {
    private final PrintWriter out;
    private String before;

    /**
     * @param name of the list
     */
    public JsonList(String name, PrintWriter out) {
        this.out = out;
        this.before = "{\"" + name + "\":[";
    }

    public void print(List<Map<String, Object>> entries) {
        for (Map<String, Object> entry : entries) {
            out.print(before);
            out.print(new String(AdminJson.write(entry), StandardCharsets.UTF_8));
            before = ",";
        }
        out.flush();
    }

    /**
     * Ends the document.
     *
     * @param besides further members of the document, behind the list
     */
    public void end(boolean isMore, Map<String, Object> besides) {
        if (!before.equals(",")) {
            out.print(before);
        }
        out.print("],\"more\":" + isMore);
        besides.forEach(
                (name, value) -> {
                    String member =
                            new String(
                                    AdminJson.write(Map.of(name, value)), StandardCharsets.UTF_8);
                    out.print("," + member.substring(1, member.length() - 1));
                });
        out.println("}");
        out.flush();
    }
}
