# SPDX-License-Identifier: GPL-2.0-only
#
# NixOS module.  Unpack the tarball of the series and add to configuration.nix:
#
#   imports = [ ./cpufreq-eas-VERSION/packaging/nixos/cpufreq-eas.nix ];
#
# boot.kernelPackages has to be the Linux that the series is for.

{ config, lib, ... }:

let
  patches = ../../patches;

  lines =
    file:
    builtins.filter (l: builtins.isString l && l != "" && builtins.substring 0 1 l != "#") (
      builtins.split "\n" (builtins.readFile file)
    );

  # CONFIG_NAME=y to NAME
  options = map (l: builtins.head (builtins.match "CONFIG_([A-Z0-9_]+)=y" l)) (
    lines ../cpufreq-eas.config
  );

  base = builtins.head (lines (patches + "/base"));
  version = config.boot.kernelPackages.kernel.version;
in
{
  assertions = [
    {
      assertion = lib.versions.majorMinor version == lib.versions.majorMinor base;
      message = "cpufreq-eas is for Linux ${base}, but boot.kernelPackages is ${version}";
    }
  ];

  boot.kernelPatches =
    map (name: {
      inherit name;
      patch = patches + "/${name}";
    }) (lines (patches + "/series"))
    ++ [
      {
        name = "cpufreq-eas-config";
        patch = null;
        structuredExtraConfig = builtins.listToAttrs (
          map (name: {
            inherit name;
            value = lib.kernel.yes;
          }) options
        );
      }
    ];
}
