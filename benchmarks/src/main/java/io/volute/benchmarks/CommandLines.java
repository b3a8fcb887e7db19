package io.volute.benchmarks;

import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;

/** The command lines of the drivers. */
public final class CommandLines {
    private CommandLines() {}

    /** Reads {@code 4096}, {@code 256K}, {@code 10M} or {@code 2G}. */
    public static final class ByteCount implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            String upper = text.toUpperCase(Locale.ROOT);
            int unit = "KMG".indexOf(upper.charAt(upper.length() - 1)) + 1;
            String digits = unit == 0 ? upper : upper.substring(0, upper.length() - 1);
            return Long.parseLong(digits) << (10 * unit);
        }
    }

    /** Creates the command line of a driver. Of an option that is given twice, the last counts. */
    public static CommandLine of(Object driver) {
        CommandLine command = new CommandLine(driver);
        command.getCommandSpec().usageMessage().abbreviateSynopsis(true).showDefaultValues(true);
        return command.setCaseInsensitiveEnumValuesAllowed(true)
                .setOverwrittenOptionsAllowed(true)
                .setUsageHelpWidth(100);
    }
}
