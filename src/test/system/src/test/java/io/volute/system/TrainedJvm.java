package io.volute.system;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a JVM learns at its first start of a server or of a bookie, kept for the others (JEP 514,
 * JDK 25): a start takes half of the CPU time then. The training takes as long as several starts,
 * so only a run of all tests has it ({@code -Dvolute.trained=true}).
 */
public final class TrainedJvm {
    private static final int LEARNS = 25;

    private static final Optional<Path> JAR = trainedJar();

    private TrainedJvm() {}

    /**
     * Returns the command that starts a server with what was learned; empty when there is nothing.
     *
     * @param options of the JVM
     */
    static Optional<List<String>> command(List<String> options) {
        return JAR.map(
                jar -> {
                    List<String> all = new ArrayList<>(options);
                    all.add("-XX:AOTCache=" + learned(jar));
                    // With other options the JVM does without, and would say so.
                    all.add("-Xlog:aot=off,cds=off");
                    return VoluteJvm.command(jar.toString(), all);
                });
    }

    /** A run of a JVM with other options than the usual ones, which it ends in order. */
    public interface Training {
        void run(List<String> command) throws IOException;
    }

    /** Lets a bookie learn, unless one of this run has. */
    public static void trainBookie(
            List<String> options, String type, List<String> arguments, Training training) {
        JAR.ifPresent(
                jar ->
                        train(
                                jar,
                                bookies(jar),
                                output -> {
                                    List<String> all = new ArrayList<>(options);
                                    all.add("-XX:AOTCacheOutput=" + output);
                                    training.run(
                                            VoluteJvm.command(
                                                    jars(),
                                                    all,
                                                    type,
                                                    arguments.toArray(String[]::new)));
                                }));
    }

    /** Returns the command of a process beside the nodes, with what a bookie has learned. */
    public static List<String> bookieCommand(
            List<String> options, String type, String... arguments) {
        Optional<Path> learned = JAR.map(TrainedJvm::bookies).filter(Files::exists);
        if (learned.isEmpty()) {
            return VoluteJvm.command(options, type, arguments);
        }
        List<String> all = new ArrayList<>(options);
        all.add("-XX:AOTCache=" + learned.get());
        all.add("-Xlog:aot=off,cds=off");
        return VoluteJvm.command(jars(), all, type, arguments);
    }

    /** Returns the class path of the tests without directories, of which a JVM keeps nothing. */
    private static String jars() {
        return Stream.of(VoluteJvm.classPath().split(File.pathSeparator))
                .filter(each -> each.endsWith(".jar"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static Path bookies(Path jar) {
        return jar.resolveSibling("bookies.aot");
    }

    private static Path learned(Path jar) {
        return jar.resolveSibling("tests.aot");
    }

    private static Optional<Path> trainedJar() {
        if (!Boolean.getBoolean("volute.trained") || Runtime.version().feature() < LEARNS) {
            return Optional.empty();
        }
        Optional<Path> found =
                Stream.of(VoluteJvm.classPath().split(File.pathSeparator))
                        .map(Path::of)
                        .filter(path -> path.endsWith("volute.jar"))
                        .findFirst();
        found.ifPresent(jar -> train(jar, learned(jar), output -> trainOnce(jar, output)));
        return found;
    }

    private interface Writer {
        void write(Path output) throws IOException;
    }

    /** Trains, unless another process of this run has. */
    private static void train(Path jar, Path learned, Writer training) {
        try (FileChannel channel =
                        FileChannel.open(
                                jar.resolveSibling(learned.getFileName() + ".lock"),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            boolean isKnown =
                    lock.isValid()
                            && Files.exists(learned)
                            && Files.getLastModifiedTime(learned)
                                            .compareTo(Files.getLastModifiedTime(jar))
                                    > 0;
            if (!isKnown) {
                // A JVM does not survive half of one.
                Path part = jar.resolveSibling(learned.getFileName() + ".part");
                training.write(part);
                Files.move(part, learned, StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void trainOnce(Path jar, Path output) throws IOException {
        List<String> options = new ArrayList<>(ServerProcess.JVM);
        options.add("-XX:AOTCacheOutput=" + output);
        List<String> command = VoluteJvm.command(jar.toString(), options);
        try (TemporaryStore directory = TemporaryStore.create("training")) {
            command.addAll(List.of("server", "--data", directory.data().toString()));
            command.addAll(List.of("--listen", "127.0.0.1:0"));
            Process server = new ProcessBuilder(command).redirectErrorStream(true).start();
            List<String> said = new ArrayList<>();
            try (BufferedReader lines = server.inputReader()) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    said.add(line);
                    if (line.contains("is ready on")) {
                        // Not by the process, which would close its output.
                        boolean unused = server.toHandle().destroy();
                    }
                }
            }
            if (!Files.exists(output)) {
                throw new IOException("nothing was learned:\n" + String.join("\n", said));
            }
        }
    }
}
