package io.volute.admin;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Checks the dependencies of the command-line client. Think hard before changing this. */
class ArchitectureTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("io.volute");

    @Test
    void goesThroughTheModulesApis() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.admin..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.netty..", "org.rocksdb..", "java.nio.channels..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void usesNoInnerPackagesOfTheStorageCore() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.admin..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("io.volute.storage..")
                                .and(
                                        resideOutsideOfPackages(
                                                "io.volute.storage",
                                                "io.volute.storage.report",
                                                "io.volute.storage.directory",
                                                "io.volute.storage.io")))
                .check(CLASSES);
    }

    /**
     * Servers are asked with the records of the admin API. Commands that need no server are exempt.
     */
    @Test
    void commandsThatAskAServerDoNotUseItsClasses() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.admin..")
                .and()
                .resideOutsideOfPackages(
                        "io.volute.admin", "io.volute.admin.config", "io.volute.admin.training")
                .and()
                .doNotHaveSimpleName("ServerCommand")
                .and()
                .doNotHaveSimpleName("DoctorCommand")
                .and()
                .doNotHaveSimpleName("HostCheckups")
                .and()
                .doNotHaveSimpleName("LogVerifyCommand")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("io.volute.server..")
                                .and(resideOutsideOfPackages("io.volute.server.auth.sigv4"))
                                .and(not(simpleName("Wiring"))))
                .check(CLASSES);
    }

    /** The root package has the command line, which names the commands of all other packages. */
    @Test
    void noPackagesUseEachOther() {
        slices().matching("io.volute.admin.(**)").should().beFreeOfCycles().check(CLASSES);
    }
}
