package io.volute.benchmarks;

import java.util.function.Function;

/** Arguments of a program. */
@Wiring
public final class CommandLine {
    private CommandLine() {}

    /** Prints the usage if the first argument is {@code --help}; the caller then exits. */
    public static boolean isHelp(String[] arguments, String usage) {
        boolean isHelp = arguments.length > 0 && arguments[0].equals("--help");
        if (isHelp) {
            System.out.print(usage);
        }
        return isHelp;
    }

    /**
     * Reads the arguments, or prints the error and the usage and ends the process with status 2.
     *
     * @param parse throws {@link IllegalArgumentException} for wrong arguments
     */
    public static <T> T read(String[] arguments, String usage, Function<String[], T> parse) {
        try {
            return parse.apply(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.print(usage);
            System.exit(2);
            throw e;
        }
    }
}
