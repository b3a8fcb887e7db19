package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.volute.system.ServerProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A root file system with the essential packages of Debian, in a directory. There is no Java in it.
 * Commands run in it with their root changed to it.
 */
final class DebianRoot {
    private static final Pattern READY = Pattern.compile("ready on (http\\S+)");
    private static final long STOP_SECONDS = 60;

    private final Path root;

    private DebianRoot(Path root) {
        this.root = root;
    }

    /** Makes one. Skips the test without the tool for it or without the rights to use it. */
    static DebianRoot orSkip(Path root) throws IOException, InterruptedException {
        assumeThat(run(Map.of(), "sh", "-c", "command -v mmdebstrap").code())
                .as("SKIPPED: mmdebstrap is not installed here")
                .isZero();
        assumeThat(run(Map.of(), "unshare", "-m", "mount", "-t", "tmpfs", "t", "/mnt").code())
                .as("SKIPPED: nothing can be mounted here")
                .isZero();
        String include = "--include=adduser,libstdc++6";
        run(Map.of(), "mmdebstrap", "--variant=essential", include, "bookworm", root.toString())
                .orFail();
        return new DebianRoot(root);
    }

    record Result(int code, String output) {
        String orFail() {
            assertThat(code).as(output).isZero();
            return output;
        }
    }

    /** Runs a command of this machine. */
    static Result run(Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        byte[] output = process.getInputStream().readAllBytes();
        return new Result(process.waitFor(), new String(output, StandardCharsets.UTF_8));
    }

    /** Returns the place of a file of the root file system. */
    Path path(String absolute) {
        return root.resolve(absolute.substring(1));
    }

    private List<String> inside(String script) {
        // Java finds the file system of a path by its mount: the root must be one.
        String mounted =
                "mount --bind \"$0\" \"$0\" && mount -t proc proc \"$0/proc\""
                        + " && exec chroot \"$0\" sh -c \"$1\"";
        return List.of("unshare", "-m", "sh", "-c", mounted, root.toString(), script);
    }

    /** Runs a script of the shell in the root file system, as root. */
    Result shell(String script) throws IOException, InterruptedException {
        return run(Server.CREDENTIALS, inside(script).toArray(String[]::new));
    }

    /**
     * Starts a server in the root file system and waits until it is ready.
     *
     * @param command of the shell, without the address to listen on
     */
    Server start(String command) throws IOException {
        List<String> all = new ArrayList<>(inside("exec " + command + " --listen 127.0.0.1:0"));
        ProcessBuilder builder = new ProcessBuilder(all).redirectErrorStream(true);
        builder.environment().putAll(Server.CREDENTIALS);
        return Server.of(builder.start());
    }

    /** A server that runs in the root file system. */
    record Server(Process process, URI endpoint) implements AutoCloseable {
        private static final Map<String, String> CREDENTIALS =
                Map.of(
                        "VOLUTE_ACCESS_KEY",
                        ServerProcess.ACCESS_KEY,
                        "VOLUTE_SECRET_KEY",
                        ServerProcess.SECRET_KEY,
                        "PATH",
                        "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");

        @SuppressWarnings("resource") // read on by the thread until the process ends
        private static Server of(Process process) throws IOException {
            BufferedReader out =
                    new BufferedReader(
                            new InputStreamReader(
                                    process.getInputStream(), StandardCharsets.UTF_8));
            StringBuilder seen = new StringBuilder();
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                seen.append(line).append('\n');
                Matcher ready = READY.matcher(line);
                if (ready.find()) {
                    Thread.ofVirtual().start(() -> out.lines().forEach(unused -> {}));
                    return new Server(process, URI.create(ready.group(1)));
                }
            }
            throw new IOException("the server did not start: " + seen);
        }

        /** Sends SIGTERM and returns the exit code. */
        int stop() throws InterruptedException {
            process.destroy();
            assertThat(process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)).isTrue();
            return process.exitValue();
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    /** Copies a file of this machine into a directory of the root file system. */
    void bring(Path file, String directory) throws IOException {
        Files.copy(file, path(directory).resolve(file.getFileName()));
    }
}
