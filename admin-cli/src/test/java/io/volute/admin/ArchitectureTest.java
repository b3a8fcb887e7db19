package io.volute.admin;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Checks the dependencies of the command-line client. Think hard before changing this. */
@Tag("slow")
class ArchitectureTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("io.volute");

    /** Maven keeps the server and the storage core off the class path. */
    @Test
    void asksServersAndUsesFilesAlone() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.admin..")
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("io.volute..", "org.rocksdb..", "java.nio.channels..")
                                .and(
                                        resideOutsideOfPackages(
                                                "io.volute.admin..",
                                                "io.volute.adminapi..",
                                                "io.volute.provenance..",
                                                "io.volute.storage.io")))
                .check(CLASSES);
    }

    /** The root package has the command line, which names the commands of all other packages. */
    @Test
    void noPackagesUseEachOther() {
        slices().matching("io.volute.admin.(**)").should().beFreeOfCycles().check(CLASSES);
    }
}
