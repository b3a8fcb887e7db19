package io.volute.admin.client;

import io.volute.adminapi.AdminJson;
import io.volute.storage.io.DurableFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Servers by name, with the root user's keys, in a file that only its owner may read:
 *
 * <pre>
 *   {"servers": {NAME: {"endpoint", "region", "accessKey", "secretKey"}}}
 * </pre>
 */
public final class Profiles {
    private final Path file;

    /**
     * A server.
     *
     * @param endpoint scheme, host and port
     */
    public record Profile(String endpoint, String region, String accessKey, String secretKey) {}

    /** The content of the file. */
    private record Servers(Map<String, Profile> servers) {}

    private Profiles(Path file) {
        this.file = file;
    }

    /**
     * Those of whoever runs the command: XDG_CONFIG_HOME, or else ~/.config, volute/servers.json.
     */
    public static Profiles of(Map<String, String> environment) {
        Path home =
                Optional.ofNullable(environment.get("XDG_CONFIG_HOME"))
                        .filter(each -> !each.isBlank())
                        .map(Path::of)
                        .orElseGet(() -> Path.of(environment.getOrDefault("HOME", "."), ".config"));
        return new Profiles(home.resolve("volute").resolve("servers.json"));
    }

    Path file() {
        return file;
    }

    /**
     * All, by name.
     *
     * @throws IOException also when others may read them
     */
    public Map<String, Profile> all() throws IOException {
        Map<String, Profile> all = new LinkedHashMap<>();
        if (Files.exists(file)) {
            if (isPosix()
                    && !WholeFile.OWNER_ONLY.containsAll(Files.getPosixFilePermissions(file))) {
                throw new IOException(
                        "others may read " + file + ", which has secrets: chmod 600 " + file);
            }
            all.putAll(AdminJson.read(Files.readAllBytes(file), Servers.class).servers());
        }
        return all;
    }

    /** Replaces all. */
    public void write(Map<String, Profile> all) throws IOException {
        Files.createDirectories(file.getParent());
        byte[] text = AdminJson.write(new Servers(all));
        WholeFile.write(
                file,
                isPosix() ? DurableFile.Readers.OWNER : DurableFile.Readers.USUAL,
                out -> out.write(text));
    }

    private boolean isPosix() {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}
