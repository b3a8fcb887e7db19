package io.volute.admin;

import io.volute.admin.client.Printing;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.grammar.Example;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints a script with which a shell completes commands and options. */
@Example(
        value = "volute completion bash > ~/.local/share/bash-completion/completions/volute",
        does = "Complete in bash.")
@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        description = {
            "Prints a script with which a shell completes commands and options.",
            "Write this line into ~/.bashrc or ~/.zshrc:",
            "  source <(volute completion bash)"
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:printed", "2:wrong usage"})
final class CompletionCommand implements Callable<Integer> {
    /** The shells; one script is for both. */
    enum Shell {
        bash,
        zsh
    }

    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
    private Shell shell;

    @Override
    public Integer call() {
        String script = AutoComplete.bash("volute", spec.root().commandLine());
        new Printing(spec).line("# for " + shell + "\n" + script);
        return ServerOptions.OK;
    }
}
