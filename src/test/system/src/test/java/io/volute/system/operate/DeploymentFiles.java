package io.volute.system.operate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Reads files of a deployment in YAML. */
final class DeploymentFiles {
    private static final LoadSettings SETTINGS =
            LoadSettings.builder().setAllowDuplicateKeys(false).build();

    private DeploymentFiles() {}

    /** Returns all documents of a text; keys {@code <<} are merged, as compose does. */
    static List<Map<String, Object>> documents(String text) {
        List<Map<String, Object>> all = new ArrayList<>();
        new Load(SETTINGS).loadAllFromString(text).forEach(each -> all.add(map(merged(each))));
        return all;
    }

    static List<Map<String, Object>> documents(Path file) throws IOException {
        return documents(Files.readString(file));
    }

    private static Object merged(Object node) {
        if (node instanceof List<?> list) {
            return list.stream().map(DeploymentFiles::merged).toList();
        }
        if (!(node instanceof Map<?, ?> from)) {
            return node;
        }
        Map<String, Object> to = new LinkedHashMap<>();
        if (from.get("<<") != null) {
            to.putAll(map(merged(from.get("<<"))));
        }
        from.forEach(
                (key, value) -> {
                    if (!key.equals("<<")) {
                        to.put(key.toString(), merged(value));
                    }
                });
        return to;
    }

    /** Returns a document with the changes of another one, as compose applies several files. */
    static Map<String, Object> overridden(Map<String, Object> base, Map<String, Object> by) {
        Map<String, Object> all = new LinkedHashMap<>(base);
        by.forEach((key, value) -> all.merge(key, value, DeploymentFiles::overridden));
        return all;
    }

    private static Object overridden(Object base, Object by) {
        if (base instanceof Map<?, ?> && by instanceof Map<?, ?>) {
            return overridden(map(base), map(by));
        }
        if (base instanceof List<?> some && by instanceof List<?> more) {
            List<Object> both = new ArrayList<>(some);
            both.addAll(more);
            return both;
        }
        return by;
    }

    @SuppressWarnings("unchecked") // merged makes maps of texts only
    static Map<String, Object> map(Object node) {
        return (Map<String, Object>) Objects.requireNonNull(node);
    }

    /** Returns the node at keys of maps, and numbers of lists. */
    static Object at(Object root, Object... path) {
        Object node = root;
        for (Object step : path) {
            node = step instanceof Integer number ? list(node).get(number) : map(node).get(step);
            if (node == null) {
                throw new AssertionError("no " + step + " of " + List.of(path));
            }
        }
        return node;
    }

    @SuppressWarnings("unchecked") // a list of whatever it has
    static List<Object> list(Object node) {
        return (List<Object>) Objects.requireNonNull(node);
    }
}
