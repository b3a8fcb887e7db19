package io.volute.admin.identity;

import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Table;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Shared output of the commands about users, keys, groups, roles and policies. */
final class IdentityAnswers {
    private IdentityAnswers() {}

    /** Shows a list as it is now, or as JSON. */
    static Integer list(ServerOptions server, String path, String name, Table table)
            throws InterruptedException {
        return server.run(
                client -> {
                    Map<String, Object> answer = client.get(path);
                    if (server.isJson()) {
                        server.print(answer);
                    } else {
                        table.print(AnswerFormat.maps(answer, name), server.out());
                        if (table.isEmpty()) {
                            server.out().println("no " + name);
                            server.out().flush();
                        }
                    }
                    return ServerOptions.OK;
                });
    }

    /**
     * @param done what to tell people when it is
     */
    static Integer post(ServerOptions server, String path, Map<String, ?> asked, String done)
            throws InterruptedException {
        return server.run(client -> server.done(client.post(path, asked), done));
    }

    static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }

    static String names(Map<String, Object> of, String list) {
        List<String> names = new ArrayList<>();
        if (of.get(list) instanceof List<?> all) {
            all.forEach(each -> names.add(String.valueOf(each)));
        }
        return names.isEmpty() ? "-" : String.join(",", names);
    }

    /** Managed ones, and those of its own in brackets. */
    static String policies(Map<String, Object> of) {
        List<String> names = new ArrayList<>();
        if (of.get("policies") instanceof List<?> managed) {
            managed.forEach(each -> names.add(String.valueOf(each)));
        }
        if (of.get("inline") instanceof Map<?, ?> inline) {
            inline.keySet().forEach(each -> names.add("(" + each + ")"));
        }
        return names.isEmpty() ? "-" : String.join(",", names);
    }

    /** Access keys; those that are disabled in brackets. */
    static String keys(Map<String, Object> of) {
        List<String> names = new ArrayList<>();
        for (Map<String, Object> key : AnswerFormat.maps(of, "keys")) {
            String name = AnswerFormat.text(key, "accessKey");
            names.add(Boolean.TRUE.equals(key.get("active")) ? name : "(" + name + ")");
        }
        return names.isEmpty() ? "-" : String.join(",", names);
    }
}
