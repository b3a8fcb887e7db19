package io.volute.system;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line for a separate Volute process, with the Java and the classes of this one. */
public final class VoluteJvm {
    /** The quick compiler alone: what ends soon spends most of its time in the other one. */
    public static final String QUICK = "-XX:TieredStopAtLevel=1";

    private VoluteJvm() {}

    /** The command up to the arguments of Volute. */
    public static List<String> command(List<String> options) {
        return command(classPath(), options);
    }

    /** The command up to the arguments of Volute, with another class path. */
    static List<String> command(String classPath, List<String> options) {
        return command(classPath, options, "io.volute.distribution.Main");
    }

    /** Returns the class path of the tests. */
    static String classPath() {
        return System.getProperty(
                "surefire.test.class.path", System.getProperty("java.class.path"));
    }

    /** Returns the command that runs a class with the given arguments. */
    public static List<String> command(List<String> options, String type, String... arguments) {
        return command(classPath(), options, type, arguments);
    }

    /** Returns the command that runs a class with another class path. */
    static List<String> command(
            String classPath, List<String> options, String type, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        // As the manifest of the jar has it: without it, newer JVMs print warnings.
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("-cp");
        command.add(classPath);
        command.add(type);
        command.addAll(List.of(arguments));
        return command;
    }
}
