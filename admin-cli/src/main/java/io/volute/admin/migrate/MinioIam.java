package io.volute.admin.migrate;

import io.volute.adminapi.AdminJson;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * The identities in an export that {@code mc admin cluster iam export} has written. Its secrets are
 * not read.
 *
 * @param policies the parts about S3 by name, those that MinIO always has left out
 * @param users by name, with their status
 * @param groups names of members by name of the group
 * @param userPolicies names of policies by user
 * @param groupPolicies names of policies by group
 * @param serviceAccounts names of users by access key
 */
record MinioIam(
        SortedMap<String, MinioPolicy> policies,
        SortedMap<String, Boolean> users,
        SortedMap<String, List<String>> groups,
        SortedMap<String, List<String>> userPolicies,
        SortedMap<String, List<String>> groupPolicies,
        SortedMap<String, String> serviceAccounts) {
    private static final String DIRECTORY = "iam-assets/";
    private static final int FILE_BYTES_MAX = 32 << 20;
    private static final List<String> OF_EVERY_SERVER =
            List.of("consoleAdmin", "diagnostics", "readonly", "readwrite", "writeonly");

    /**
     * Reads an export.
     *
     * @throws IOException if it is none
     */
    static MinioIam read(Path file) throws IOException {
        try (ZipFile zip = new ZipFile(file.toFile())) {
            SortedMap<String, MinioPolicy> policies = new TreeMap<>();
            objects(zip, "policies.json")
                    .forEach((name, document) -> policies.put(name, MinioPolicy.of(document)));
            OF_EVERY_SERVER.forEach(policies::remove);
            SortedMap<String, Boolean> users = new TreeMap<>();
            objects(zip, "users.json")
                    .forEach(
                            (name, user) ->
                                    users.put(name, text(user, "status").equals("enabled")));
            SortedMap<String, List<String>> groups = new TreeMap<>();
            objects(zip, "groups.json").forEach((name, group) -> groups.put(name, members(group)));
            SortedMap<String, String> accounts = new TreeMap<>();
            objects(zip, "svcaccts.json")
                    .forEach((key, account) -> accounts.put(key, text(account, "parent")));
            return new MinioIam(
                    policies,
                    users,
                    groups,
                    mappings(zip, "user_mappings.json"),
                    mappings(zip, "group_mappings.json"),
                    accounts);
        } catch (ZipException e) {
            throw new IOException(file + " is no export of MinIO: " + e.getMessage(), e);
        }
    }

    private static SortedMap<String, Map<?, ?>> objects(ZipFile zip, String name)
            throws IOException {
        ZipEntry entry = zip.getEntry(DIRECTORY + name);
        if (entry == null) {
            throw new IOException(
                    zip.getName()
                            + " has no "
                            + DIRECTORY
                            + name
                            + ": write it with mc admin cluster iam export");
        }
        byte[] content;
        // The entry's own size can be anything.
        try (InputStream in = zip.getInputStream(entry)) {
            content = in.readNBytes(FILE_BYTES_MAX + 1);
        }
        if (content.length > FILE_BYTES_MAX) {
            throw new IOException(
                    DIRECTORY
                            + name
                            + " in "
                            + zip.getName()
                            + " has more than "
                            + (FILE_BYTES_MAX >> 20)
                            + " MiB");
        }
        SortedMap<String, Map<?, ?>> objects = new TreeMap<>();
        AdminJson.fields(content)
                .forEach(
                        (key, value) -> {
                            if (value instanceof Map<?, ?> object) {
                                objects.put(key, object);
                            }
                        });
        return objects;
    }

    private static String text(Map<?, ?> object, String name) {
        return object.get(name) instanceof String text ? text : "";
    }

    private static List<String> members(Map<?, ?> group) {
        List<String> members = new ArrayList<>();
        if (group.get("members") instanceof List<?> list) {
            list.forEach(each -> members.add(String.valueOf(each)));
        }
        return members;
    }

    private static SortedMap<String, List<String>> mappings(ZipFile zip, String name)
            throws IOException {
        SortedMap<String, List<String>> mappings = new TreeMap<>();
        objects(zip, name)
                .forEach(
                        (holder, mapping) ->
                                mappings.put(
                                        holder,
                                        Arrays.stream(text(mapping, "policy").split(","))
                                                .filter(each -> !each.isEmpty())
                                                .toList()));
        return mappings;
    }
}
